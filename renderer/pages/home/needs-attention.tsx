import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type {
  HomeDeviceDto,
  HomeDeviceFindingDto,
  HomeFleetDto,
  HomeServerDto,
  HomeSignInsDto,
} from '../../../shared/api/appliance-home.ts'
import { fullDiskPercent } from '../../../shared/dtos/device.ts'
import { Moment } from '../../components/moment.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { deviceAddress } from '../../components/device-tabs.ts'
import type { ActionRequest } from '../../components/device-actions.ts'
import { findingPage } from '../../components/finding-pages.ts'
import { useSession } from '../../hooks/use-session.ts'
import { moment, percent } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import home from './home.module.css'
import classes from './needs-attention.module.css'

const icons = { warning: IconAlertTriangle, problem: IconCircleX, ok: IconCircleCheck } as const

interface FindingProps {
  state: keyof typeof icons
  title: string
  since?: string | null
  /** Further facts, or advice. */
  hint?: string | null
  action?: { label: string; to: string }
  children?: ReactNode
}

/** A finding, since when, and the action beside it. */
function Finding({ state, title, since, hint, action, children }: FindingProps) {
  const Icon = icons[state]
  return (
    <li className={classes.finding} data-state={state}>
      <Icon size={18} stroke={1.6} role="img" aria-label={t.health.states[state]} />
      <div className={classes.words}>
        <h3>{visibleName(title)}</h3>
        {since && <Moment at={since} says={t.home.since} />}
      </div>
      {action && (
        <ButtonLink to={action.to} variant="default" size="compact-sm" className={classes.action!}>
          {action.label}
        </ButtonLink>
      )}
      {hint && <p className={`${classes.hint} muted`}>{visibleName(hint)}</p>}
      {children}
    </li>
  )
}

const wakeRequest: ActionRequest = { action: 'wake' }

/** Whether waking the device may bring it back. */
const isWakeable = ({ cause }: HomeDeviceDto) =>
  cause === null || t.visit.absence.causes[cause].hintWithoutWake !== undefined

function DeviceAction({ device, kind }: { device: HomeDeviceDto; kind: HomeDeviceFindingDto['kind'] }) {
  const { can } = useSession()
  const name = visibleName(device.name)
  if (kind === 'disk') {
    return (
      can('device.file-system.read') && (
        <TextLink to={deviceAddress(device.id, 'files')} aria-label={t.home.filesOf(name)}>
          {t.home.files}
        </TextLink>
      )
    )
  }
  return can('device.wake.send') && isWakeable(device) ? (
    <TextLink to={deviceAddress(device.id)} state={wakeRequest} aria-label={t.home.wakeOne(name)}>
      {t.home.wake}
    </TextLink>
  ) : (
    <TextLink to={deviceAddress(device.id)} aria-label={t.home.seeOne(name)}>
      {t.home.see}
    </TextLink>
  )
}

function FoundDevice({ device, kind }: { device: HomeDeviceDto; kind: HomeDeviceFindingDto['kind'] }) {
  return (
    <li className={classes.device}>
      <span className={classes.deviceName}>
        <TextLink to={deviceAddress(device.id)} className="truncate">
          <bdi>{visibleName(device.name)}</bdi>
        </TextLink>
        <span className="muted truncate">
          <bdi>{visibleName(device.customerName ?? t.home.noCustomer)}</bdi>
        </span>
      </span>
      <span className={classes.deviceState}>
        {device.cause !== null && <span>{t.visit.absence.causes[device.cause].title}</span>}
        {kind === 'down' ? (
          <Moment at={device.since} says={device.cause === 'never-connected' ? t.home.added : t.home.since} />
        ) : (
          <span className="tabular">{t.home.used(percent(device.storage))}</span>
        )}
      </span>
      <DeviceAction {...{ device, kind }} />
    </li>
  )
}

/** Searches of the device list that show each kind. */
const lists = { down: 'is:offline', disk: `disk:>${fullDiskPercent}`, agent: 'is:outdated' } as const
const listAddress = (kind: HomeDeviceFindingDto['kind']) =>
  `/devices?${new URLSearchParams({ q: lists[kind], ...(kind === 'down' && { sort: '-lastSeen' }) }).toString()}`

function DeviceFinding({ finding, version }: { finding: HomeDeviceFindingDto; version: string | null }) {
  const { kind, count, devices } = finding
  return (
    <Finding
      state={kind === 'down' ? 'problem' : 'warning'}
      title={t.home.findings[kind](count, version)}
      action={{ label: t.home.actions[kind], to: listAddress(kind) }}
    >
      {kind !== 'agent' && (
        <ul className={classes.devices}>
          {devices.map((device) => (
            <FoundDevice key={device.id} {...{ device, kind }} />
          ))}
          {count > devices.length && <li className="muted tabular">{t.home.more(count - devices.length)}</li>}
        </ul>
      )}
    </Finding>
  )
}

const health = { to: '/health-report', label: t.home.openHealth }

const auditAddress = (accountId: string | null) =>
  `/audit?${new URLSearchParams({ kind: 'sign-in', failures: '1', ...(accountId !== null && { person: accountId }) }).toString()}`

function FailedSignIns({ item }: { item: HomeSignInsDto['items'][number] }) {
  const { accountId, name, count, since, address, last } = item
  return (
    <Finding
      state="warning"
      title={t.home.failed(count, name ?? t.home.noAccount)}
      since={since}
      hint={address === null ? null : t.home.lastFrom(address, moment(Date.parse(last)))}
      action={{ label: t.home.openAudit, to: auditAddress(accountId) }}
    />
  )
}

interface NeedsAttentionProps {
  fleet: HomeFleetDto
  server: HomeServerDto['findings']
  signIns: HomeSignInsDto['items']
  /** When all of it was checked; undefined while a part is missing. */
  checkedAt: string | undefined
}

/** Findings about devices, the server and sign-ins; without any, when that was checked. */
export function NeedsAttention({ fleet, server, signIns, checkedAt }: NeedsAttentionProps) {
  const { can } = useSession()
  const isEmpty = fleet.findings.length + server.length + signIns.length === 0
  if (isEmpty) {
    return (
      checkedAt !== undefined && (
        <p className={classes.well}>
          <IconCircleCheck size={20} stroke={1.6} aria-hidden />
          {t.home.nothingHint(checkedAt)}
        </p>
      )
    )
  }
  return (
    <section className={home.section} aria-labelledby="home-hand">
      <h2 id="home-hand">{t.home.hand}</h2>
      <ul>
        {fleet.findings.map((finding) => (
          <DeviceFinding key={finding.kind} finding={finding} version={fleet.agentVersion} />
        ))}
        {server.map(({ id, state, title, summary, advice, since }) => (
          <Finding
            key={id}
            state={state}
            title={`${title}: ${summary}`}
            since={since}
            hint={advice}
            action={findingPage(id, can) ?? health}
          />
        ))}
        {signIns.map((item) => (
          <FailedSignIns key={item.accountId ?? item.name} item={item} />
        ))}
      </ul>
    </section>
  )
}
