import { Group, Loader, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import { checkProps, textProps } from '../../components/field-props.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useStayAtEnd } from '../../hooks/use-stay-at-end.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { focusFiles } from './page-files.ts'
import { useFollowedFile } from './use-followed-file.ts'
import classes from './view-file.module.css'

const f = t.files.follow

const choices = [200, 1_000, 5_000]

/** Lines of a file, with the end in view unless the user scrolled away from it. */
const Lines = ({ lines }: { lines: readonly string[] }) => (
  <pre {...useStayAtEnd(lines)} tabIndex={0} role="log" aria-live="off" aria-label={f.lines} className={classes.lines}>
    {lines.join('\n')}
  </pre>
)

function FollowedFile({ place, entry }: { place: FilePlace; entry: Entry }) {
  const [isOn, setIsOn] = useState(true)
  const [most, setMost] = useState(choices[0]!)
  const [filter, setFilter] = useState('')
  const [attempt, setAttempt] = useState(0)
  const { lines, isThere, error } = useFollowedFile(place, entry, { most, isOn, attempt })
  const shown = useMemo(() => {
    const wanted = filter.toLowerCase()
    return wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted))
  }, [lines, filter])
  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <TextInput
          label={f.filter}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          style={{ flex: '1 1 180px' }}
          {...textProps(filter, setFilter)}
        />
        <Select
          label={f.most}
          data={choices.map((number) => ({ value: String(number), label: f.lastLines(number) }))}
          allowDeselect={false}
          w={160}
          value={String(most)}
          onChange={(number) => setMost(Number(number))}
        />
        <Switch label={f.isOn} mb={8} {...checkProps(isOn, setIsOn)} />
      </Group>
      {error && <ProblemAlert error={error} onRetry={() => setAttempt((number) => number + 1)} />}
      {isThere ? <Lines lines={shown} /> : !error && <Loader size="sm" aria-label={t.files.view.loading} />}
      <Text size="xs" c="dimmed">
        {f.shown(shown.length, lines.length)}
      </Text>
    </Stack>
  )
}

interface FollowFileDialogProps {
  place: FilePlace
  /** The dialog is closed without an entry. */
  entry: Entry | undefined
  onClose: () => void
}

/** Shows the end of a text file, and what is appended to it. */
export const FollowFileDialog = ({ place, entry, onClose }: FollowFileDialogProps) => (
  <Modal
    opened={entry !== undefined}
    onClose={onClose}
    size="min(1100px, 96vw)"
    title={<bdi className="wrap-anywhere">{entry && visibleName(entry.name)}</bdi>}
    onExitTransitionEnd={focusFiles}
  >
    {entry && <FollowedFile key={entry.fullPath} place={place} entry={entry} />}
  </Modal>
)
