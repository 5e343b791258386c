import { Group } from '@mantine/core'
import {
  IconAdjustments,
  IconAlertTriangle,
  IconBell,
  IconDeviceDesktop,
  IconDownload,
  IconFile,
  IconKey,
  IconLogin2,
  IconPlugConnected,
  IconPlugConnectedX,
  IconPoint,
  IconScreenShare,
  IconServer,
  IconShieldLock,
  IconUser,
  IconUsers,
  type Icon,
} from '@tabler/icons-react'
import { memo } from 'react'
import { TextLink } from '../../components/links.tsx'
import type { TimelineEntryDto } from '../../../shared/dtos/timeline.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import { capitalized, exactTime, moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './timeline.module.css'

const icons: Readonly<Record<string, Icon>> = {
  session: IconScreenShare,
  file: IconFile,
  device: IconDeviceDesktop,
  rights: IconShieldLock,
  people: IconUsers,
  account: IconUser,
  credential: IconKey,
  settings: IconAdjustments,
  'sign-in': IconLogin2,
  export: IconDownload,
  server: IconServer,
  alert: IconBell,
}

function iconOf({ kind, group, outcome }: TimelineEntryDto): Icon {
  if (outcome === 'failure') {
    return IconAlertTriangle
  }
  return kind === 'connection.online'
    ? IconPlugConnected
    : kind === 'connection.offline'
      ? IconPlugConnectedX
      : (icons[group] ?? IconPoint)
}

const toneOf = ({ kind, outcome }: TimelineEntryDto) =>
  outcome === 'failure' ? 'warning' : kind === 'connection.online' ? 'online' : undefined

interface EntryProps {
  entry: TimelineEntryDto
  /** Device or person whose timeline it is, which needs no link. */
  ownId: string
  mayOpenPeople: boolean
}

/** Links to the people and the device that an entry names, and to its entry in the audit log. */
function linksOf(
  { actor, target, device, auditId }: TimelineEntryDto,
  { ownId, mayOpenPeople }: Omit<EntryProps, 'entry'>,
) {
  const person = (id: string | null, name: string | null) =>
    mayOpenPeople && id !== null && id !== ownId && name !== null
      ? [{ to: `/people?open=${id}`, label: visibleName(name) }]
      : []
  return [
    ...(actor?.kind === 'user' ? person(actor.id, actor.name) : []),
    ...(target?.kind === 'user' && target.id !== actor?.id ? person(target.id, target.name) : []),
    ...(device && device.id !== ownId
      ? [{ to: deviceAddress(device.id), label: visibleName(device.name ?? t.common.device) }]
      : []),
    ...(auditId === null ? [] : [{ to: `/audit?entry=${auditId}`, label: t.timeline.auditEntry }]),
  ]
}

/** The sentence; on the page of a device without its name where that only says where something happened. */
function textOf({ group, sentence, device }: TimelineEntryDto, ownId: string): string {
  if (device?.id !== ownId || !device.name) {
    return sentence
  }
  const { name } = device
  if (group === 'connection' && sentence.startsWith(`${name} `)) {
    return capitalized(sentence.slice(name.length + 1))
  }
  if (group !== 'session' && group !== 'file') {
    return sentence
  }
  // Names of files may hold the same words before the place, and longer names begin with the name.
  const places = ['on', 'from', 'to'].map((word) => ` ${word} ${name} `)
  const [at, place] = places
    .map((words) => [`${sentence} `.lastIndexOf(words), words] as const)
    .reduce((last, each) => (each[0] > last[0] ? each : last))
  return at < 0 ? sentence : `${sentence.slice(0, at)} ${sentence.slice(at + place.length)}`.trimEnd()
}

export const Entry = memo(function Entry({ entry, ...reader }: EntryProps) {
  const Sign = iconOf(entry)
  const at = Date.parse(entry.at)
  const links = linksOf(entry, reader)
  return (
    <li className={classes.entry}>
      <span className={classes.sign} data-tone={toneOf(entry)}>
        <Sign size={16} stroke={1.6} aria-hidden />
        {entry.outcome === 'failure' && <span className="visually-hidden">{t.timeline.failed}</span>}
      </span>
      <span className={classes.text}>
        <bdi>{visibleName(textOf(entry, reader.ownId))}</bdi>
        {links.length > 0 && (
          <Group align="stretch" component="span" gap="2px 12px">
            {links.map(({ to, label }) => (
              <TextLink key={to} to={to} size="xs">
                <bdi>{label}</bdi>
              </TextLink>
            ))}
          </Group>
        )}
      </span>
      <time className="muted tabular" dateTime={entry.at} title={exactTime(at)}>
        {moment(at, at)}
      </time>
    </li>
  )
})
