import { Button, Checkbox, FileButton, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { IconFilePlus } from '@tabler/icons-react'
import { maxBatchFiles } from '../../../shared/dtos/batch.ts'
import { checkProps, textProps } from '../../components/field-props.ts'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'

/** Entries of the user for a job that sends files. */
export interface Delivery {
  files: readonly File[]
  /** Whether the files go to the desktop of the person who is signed in, in place of `folder`. */
  isForPerson: boolean
  folder: string
  overwrite: boolean
}

export const nothingToSend: Delivery = { files: [], isForPerson: true, folder: '', overwrite: false }

export const canSend = ({ files, isForPerson, folder }: Delivery) =>
  files.length > 0 && files.length <= maxBatchFiles && (isForPerson || folder.trim() !== '')

const s = t.batches.send

interface SendFilesFieldsProps {
  value: Delivery
  onChange: (value: Delivery) => void
}

/** Files of this computer, and their place on the devices. */
export function SendFilesFields({ value, onChange }: SendFilesFieldsProps) {
  const { files, isForPerson, folder, overwrite } = value
  const change = (changes: Partial<Delivery>) => onChange({ ...value, ...changes })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap">
        <FileButton multiple onChange={(chosen) => change({ files: chosen })}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconFilePlus size={16} stroke={1.6} />}
              data-autofocus
              style={{ flexShrink: 0 }}
            >
              {files.length === 0 ? s.choose : s.chooseOthers}
            </Button>
          )}
        </FileButton>
        <Text role="status" lineClamp={2} className="wrap-anywhere">
          {files.length > 0 &&
            s.chosen(
              files.map(({ name }) => name),
              byteSize(size),
            )}
        </Text>
      </Group>
      {files.length > maxBatchFiles && <Text c="var(--danger)">{s.tooMany(maxBatchFiles)}</Text>}
      <Radio.Group
        label={s.place}
        value={isForPerson ? 'person' : 'folder'}
        onChange={(place) => change({ isForPerson: place === 'person' })}
      >
        <Stack gap={8} mt={6}>
          <Radio value="person" label={s.person} description={s.personHint} />
          <Radio value="folder" label={s.folder} />
        </Stack>
      </Radio.Group>
      {!isForPerson && (
        <TextInput
          label={s.path}
          description={s.pathHint}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--font-mono)' } }}
          {...textProps(folder, (next) => change({ folder: next }))}
        />
      )}
      <Checkbox label={s.overwrite} {...checkProps(overwrite, (next) => change({ overwrite: next }))} />
    </Stack>
  )
}
