import { TextInput, type TextInputProps } from '@mantine/core'
import * as t from '../texts.ts'

/** Field for a code of an authenticator app or a recovery code. */
export const CodeField = (props: TextInputProps) => (
  <TextInput
    label={t.signIn.code}
    description={t.signIn.codeHint}
    autoComplete="one-time-code"
    autoCapitalize="off"
    spellCheck={false}
    maxLength={40}
    required
    withAsterisk={false}
    {...props}
  />
)
