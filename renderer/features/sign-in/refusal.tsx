import { Alert, Stack } from '@mantine/core'
import { IconLock, IconMail, IconUserOff } from '@tabler/icons-react'
import { TextLink } from '../../components/links.tsx'
import * as t from '../../texts.ts'
import { outcomeOf, type StepProps } from './sign-in-request.ts'

/** Explains why the server rejected a sign-in, if the reason belongs to no field. */
export function Refusal({ signIn }: Pick<StepProps, 'signIn'>) {
  const { email } = signIn.variables ?? {}
  const outcome = outcomeOf(signIn.data)
  if (outcome === 'locked') {
    return (
      <Alert color="danger" icon={<IconLock size={18} />} title={t.signIn.lockedTitle} role="alert">
        {t.signIn.locked}
      </Alert>
    )
  }
  if (outcome === 'disabled') {
    return (
      <Alert color="danger" icon={<IconUserOff size={18} />} title={t.signIn.disabledTitle} role="alert">
        {t.signIn.disabled}
      </Alert>
    )
  }
  return (
    outcome === 'unconfirmed' && (
      <Alert color="danger" icon={<IconMail size={18} />} title={t.signIn.unconfirmedTitle} role="alert">
        <Stack gap="xs" align="flex-start">
          {t.signIn.unconfirmed}
          <TextLink to="/sign-in/help" state={{ email }}>
            {t.signIn.resend}
          </TextLink>
        </Stack>
      </Alert>
    )
  )
}
