import { Button, Checkbox, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FileFactsDto } from '../../../shared/dtos/file-messages.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { Fact } from '../../components/fact.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { checkProps } from '../../components/field-props.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { byteSize, exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './files.module.css'
import { focusFiles } from './page-files.ts'

const p = t.files.properties

interface PropertiesProps {
  place: FilePlace
  entry: Entry
  /** Whether the user may change the permission bits. */
  mayChange: boolean
  /** Whether the user may have the content of a file. */
  mayHash: boolean
}

const when = (date: string | undefined) => (date === undefined ? p.unknown : exactTime(Date.parse(date)))

/** Permission bits, from those of the owner to those of everybody. */
const classesOfBits = [
  { name: p.owner, shift: 6 },
  { name: p.group, shift: 3 },
  { name: p.others, shift: 0 },
] as const
const bits = [
  { name: p.read, bit: 4 },
  { name: p.write, bit: 2 },
  { name: p.execute, bit: 1 },
] as const

const octal = (mode: number) => mode.toString(8).padStart(3, '0')

interface ModeFormProps {
  place: FilePlace
  path: string
  properties: FileFactsDto & { mode: number }
  mayChange: boolean
}

function ModeForm({ place, path, properties, mayChange }: ModeFormProps) {
  const [mode, setMode] = useState(properties.mode)
  const [saved, setSaved] = useState(properties.mode)
  const change = useMutation({
    mutationFn: () =>
      api.fileProperties.setMode({ params: { deviceId: place.deviceId }, body: { path, mode: mode & 0o777 } }),
    onSuccess: (now) => {
      setSaved(now.mode ?? mode)
      setMode(now.mode ?? mode)
    },
  })
  return (
    <Stack gap="xs">
      <Text fw={560}>{p.permissions(octal(mode))}</Text>
      {classesOfBits.map(({ name, shift }) => (
        <Group key={name} gap="lg" role="group" aria-label={name}>
          <Text w={88} c="dimmed">
            {name}
          </Text>
          {bits.map(({ name: label, bit }) => (
            <Checkbox
              key={bit}
              label={label}
              disabled={!mayChange}
              {...checkProps((mode & (bit << shift)) !== 0, () => setMode(mode ^ (bit << shift)))}
            />
          ))}
        </Group>
      ))}
      {change.error && <ProblemAlert error={change.error} />}
      {mayChange && (
        <Group justify="flex-end">
          <Button disabled={mode === saved} loading={change.isPending} onClick={() => change.mutate()}>
            {p.change}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Hash({ place, path }: { place: FilePlace; path: string }) {
  const hash = useMutation({
    mutationFn: async () => {
      const body = { path, isHashWanted: true }
      return (await api.fileProperties.facts({ params: { deviceId: place.deviceId }, body })).sha256 ?? p.unknown
    },
  })
  if (hash.data !== undefined) {
    return (
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <code>{hash.data}</code>
        <CopyButton text={hash.data} hint={p.copyHash} />
      </Group>
    )
  }
  return (
    <>
      <Button size="compact-sm" variant="default" loading={hash.isPending} onClick={() => hash.mutate()}>
        {p.compute}
      </Button>
      {hash.error && <ProblemAlert error={hash.error} />}
    </>
  )
}

function Properties({ place, entry, mayChange, mayHash }: PropertiesProps) {
  const path = entry.fullPath
  const query = useQuery({
    queryKey: ['files', place.deviceId, 'properties', path],
    queryFn: ({ signal }) => api.fileProperties.facts({ params: { deviceId: place.deviceId }, body: { path } }, signal),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const properties = query.data
  if (!properties) {
    return query.error ? <ProblemAlert error={query.error} /> : <Loader size="sm" aria-label={p.loading} />
  }
  const { mode, owner, group, linkTarget } = properties
  return (
    <Stack>
      <dl className={classes.facts}>
        <Fact label={p.kind}>{p.kinds[properties.kind]}</Fact>
        <Fact label={p.path}>
          <bdi>{visibleName(path)}</bdi>
        </Fact>
        {linkTarget !== undefined && (
          <Fact label={p.linkTarget}>
            <bdi>{visibleName(linkTarget)}</bdi>
          </Fact>
        )}
        {properties.kind === 'file' && (
          <Fact label={t.files.size}>{p.bytes(byteSize(properties.size), properties.size)}</Fact>
        )}
        <Fact label={p.modified}>{when(properties.modifiedAt)}</Fact>
        <Fact label={p.created}>{when(properties.createdAt)}</Fact>
        <Fact label={p.accessed}>{when(properties.accessedAt)}</Fact>
        {owner !== undefined && <Fact label={p.owner}>{visibleName(owner)}</Fact>}
        {group !== undefined && <Fact label={p.group}>{visibleName(group)}</Fact>}
        {mayHash && properties.kind === 'file' && (
          <Fact label="SHA-256">
            <Hash place={place} path={path} />
          </Fact>
        )}
      </dl>
      {mode !== undefined && properties.kind !== 'link' && (
        <ModeForm place={place} path={path} properties={{ ...properties, mode }} mayChange={mayChange} />
      )}
    </Stack>
  )
}

interface PropertiesDialogProps extends Omit<PropertiesProps, 'entry'> {
  /** The dialog is closed without an entry. */
  entry: Entry | undefined
  onClose: () => void
}

/** Properties of an entry: size, dates, owner, hash on request, and permissions where the system has them. */
export const PropertiesDialog = ({ entry, onClose, ...props }: PropertiesDialogProps) => (
  <Modal
    opened={entry !== undefined}
    onClose={onClose}
    size="lg"
    title={<bdi className="wrap-anywhere">{entry && p.title(visibleName(entry.name))}</bdi>}
    onExitTransitionEnd={focusFiles}
  >
    {entry && <Properties key={entry.fullPath} entry={entry} {...props} />}
  </Modal>
)
