import { TextInput, type TextInputProps } from '@mantine/core'
import { en as t } from '../strings/en.ts'

export const EmailField = (props: TextInputProps & { value: string }) => (
  <TextInput type="email" label={t.common.email} autoComplete="username" required withAsterisk={false} {...props} />
)
