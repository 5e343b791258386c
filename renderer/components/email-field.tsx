import { TextInput, type TextInputProps } from '@mantine/core'
import * as t from '../texts.ts'

/** Email address of an account. `webauthn` has browsers offer passkeys in the menu of the field. */
export const EmailField = (props: TextInputProps & { value: string }) => (
  <TextInput
    type="email"
    label={t.common.email}
    autoComplete="username webauthn"
    required
    withAsterisk={false}
    {...props}
  />
)
