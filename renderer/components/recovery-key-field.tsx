import { TextInput, type TextInputProps } from '@mantine/core'
import * as t from '../texts.ts'

/** Field for the recovery key of backups. */
export const RecoveryKeyField = (props: TextInputProps) => (
  <TextInput
    label={t.backup.proveLabel}
    description={t.backup.proveHint}
    autoComplete="off"
    spellCheck={false}
    maxLength={200}
    {...props}
  />
)
