import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/links.tsx'
import type { AuditEventDto } from '../../../shared/dtos/audit-event.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { deviceAddress } from '../../components/device-tabs.ts'
import { SidePane } from '../../components/list-kit/side-pane.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { credentialText, detailLabel, detailText, isIdDetail, targetText } from './details.ts'
import { auditCategories, type AuditCategory } from '../../../shared/audit-kinds.ts'
import * as t from '../../texts.ts'
import { exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { auditQueries } from './audit-queries.ts'
import type { AuditState } from './audit-url.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import facts from '../../components/device-facts.module.css'
import { QueryState } from '../../components/query-state.tsx'

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)

const shown = (text: string) => <bdi>{visibleName(text)}</bdi>

const textRow = (label: string, value: string | null) => value && <Row label={label}>{shown(value)}</Row>

const idRow = (label: string, value: string | null) =>
  value && (
    <Row label={label}>
      <code>{visibleName(value)}</code>
      <CopyButton text={value} hint={`${t.common.copy}: ${label}`} />
    </Row>
  )

interface DetailProps {
  name: string
  value: string | number | boolean | null
  /** Whether the reader did it: batches are open to their owner alone. */
  isOwn: boolean
}

function Detail({ name, value, isOwn }: DetailProps) {
  const label = visibleName(detailLabel(name))
  if (name === 'batchId' && isOwn) {
    return (
      <Row label={t.audit.batch}>
        <TextLink to={`/batches/${String(value)}`} size="xs">
          {t.audit.openBatch}
        </TextLink>
      </Row>
    )
  }
  if (isIdDetail(name)) {
    return idRow(label, value === null ? null : String(value))
  }
  return (
    <Row label={label}>
      {name === 'command' ? <code>{visibleName(String(value))}</code> : shown(detailText(name, value))}
    </Row>
  )
}

const Facts = ({ event, isOwn }: { event: AuditEventDto; isOwn: boolean }) => (
  <dl className={facts.facts} aria-label={t.audit.details(event.id)}>
    <Row label={t.audit.at}>{exactTime(Date.parse(event.at))}</Row>
    <Row label={t.audit.outcome}>
      <OutcomeMark outcome={event.outcome} />
    </Row>
    <Row label={t.common.kind}>{auditCategories[event.category as AuditCategory] ?? visibleName(event.category)}</Row>
    {event.count > 1 && <Row label={t.audit.repeated}>{t.audit.times(event.count)}</Row>}
    <Row label={t.audit.actor}>
      {event.actorName !== null && shown(event.actorName)}
      <span className="muted">{t.audit.actorKinds[event.actorKind]}</span>
    </Row>
    {idRow(t.audit.actorId, event.actorId)}
    {textRow(t.audit.credential, event.credentialKind && credentialText(event.credentialKind))}
    {idRow(t.audit.credentialId, event.credentialId)}
    {idRow(t.audit.address, event.address)}
    {textRow(t.audit.browser, event.browser)}
    {(event.targetName !== null || event.targetKind !== null) && (
      <Row label={t.audit.target}>
        {event.targetName !== null && shown(event.targetName)}
        {event.targetKind !== null && <span className="muted">{visibleName(targetText(event.targetKind))}</span>}
      </Row>
    )}
    {idRow(t.audit.targetId, event.targetId)}
    {event.deviceId !== null && (
      <Row label={t.common.device}>
        {shown(event.deviceName ?? '')}
        <TextLink to={deviceAddress(event.deviceId)} size="xs">
          {t.audit.openDevice}
        </TextLink>
      </Row>
    )}
    {idRow(t.audit.deviceId, event.deviceId)}
    {Object.entries(event.details).map(([name, value]) => (
      <Detail key={name} name={name} value={value} isOwn={isOwn} />
    ))}
    {idRow(t.audit.tenantId, event.tenantId)}
    {idRow(t.audit.hash, event.hash)}
  </dl>
)

interface AuditPaneProps {
  id: number
  tenantId: string | undefined
  /** The entry, if the list has it. */
  known: AuditEventDto | undefined
  onFilter: (changes: Partial<AuditState>) => void
  onClose: () => void
}

/** Every field of an entry, beside the list. */
export function AuditPane({ id, tenantId, known, onFilter, onClose }: AuditPaneProps) {
  const query = useQuery({
    ...auditQueries.event(tenantId, id),
    enabled: known === undefined,
  })
  const { data } = query
  const { user } = useSession()
  const event = known ?? data
  return (
    <SidePane
      title={event ? visibleName(event.sentence) : t.audit.details(id)}
      label={t.audit.details(id)}
      onClose={onClose}
    >
      {event === undefined && <QueryState query={query} height={240} />}
      {event === null && <p>{t.audit.notFound}</p>}
      {event && (
        <>
          <Group gap="xs" mb="md">
            {event.actorId !== null && (
              <Button variant="default" size="xs" onClick={() => onFilter({ person: event.actorId ?? '' })}>
                {t.audit.onlyPerson}
              </Button>
            )}
            {event.deviceId !== null && (
              <Button variant="default" size="xs" onClick={() => onFilter({ device: event.deviceId ?? '' })}>
                {t.audit.onlyDevice}
              </Button>
            )}
          </Group>
          <Facts event={event} isOwn={event.actorId === user.id} />
        </>
      )}
    </SidePane>
  )
}
