import { TextInput, type TextInputProps } from '@mantine/core'
import { en as t } from '../strings/en.ts'

/** The address that an account signs in with. Browsers offer passkeys in the menu of the field where a page asks for one. */
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
