import { PasswordInput, VisuallyHidden, type PasswordInputProps } from '@mantine/core'
import { IconCheck, IconCircle } from '@tabler/icons-react'
import { newPassword, passwordLength } from '../../shared/dtos/user.ts'
import * as t from '../texts.ts'
import classes from './password-fields.module.css'

// Text of each rule; the declared schema decides whether a password is valid.
const rules: { label: string; isMet: (password: string) => boolean }[] = [
  { label: t.password.length, isMet: ({ length }) => length >= passwordLength.min && length <= passwordLength.max },
  { label: t.password.digit, isMet: (password) => /\p{Nd}/u.test(password) },
  { label: t.password.lower, isMet: (password) => /\p{Ll}/u.test(password) },
  { label: t.password.upper, isMet: (password) => /\p{Lu}/u.test(password) },
]

export const isNewPassword = (password: string) => newPassword.safeParse(password).success

export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t.password.show, tabIndex: 0 }} {...props} />
)

/** Field for a new password; its rules are checked while typing. */
export function NewPasswordField(props: PasswordInputProps & { value: string }) {
  return (
    <div>
      <PasswordField
        autoComplete="new-password"
        required
        withAsterisk={false}
        aria-describedby="password-rules"
        {...props}
      />
      <ul className={classes.rules} id="password-rules" aria-label={t.password.rules}>
        {rules.map(({ label, isMet }) => {
          const met = isMet(props.value)
          const Icon = met ? IconCheck : IconCircle
          return (
            <li key={label} data-met={met || undefined}>
              <Icon size={14} stroke={met ? 2.4 : 1.6} aria-hidden />
              {label}
              <VisuallyHidden>, {met ? t.password.met : t.password.unmet}</VisuallyHidden>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
