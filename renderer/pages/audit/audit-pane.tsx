import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fact } from '../../components/fact.tsx'
import { TextLink } from '../../components/links.tsx'
import type { AuditEventDto } from '../../../shared/dtos/audit-event.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { deviceAddress } from '../../components/device-tabs.ts'
import { SidePane } from '../../components/list-kit/side-pane.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { credentialText, detailLabel, detailText, isIdDetail, targetText } from './details.ts'
import { auditCategories, type AuditCategory } from '../../../shared/audit-categories.ts'
import * as t from '../../texts.ts'
import { exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { auditQueries } from './audit-queries.ts'
import type { AuditState } from './audit-url.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import facts from '../../components/device-facts.module.css'
import { QueryState } from '../../components/query-state.tsx'

const shown = (text: string) => <bdi>{visibleName(text)}</bdi>

const textRow = (label: string, value: string | null) => value && <Fact label={label}>{shown(value)}</Fact>

const idRow = (label: string, value: string | null) =>
  value && (
    <Fact label={label}>
      <code>{visibleName(value)}</code>
      <CopyButton text={value} hint={`${t.common.copy}: ${label}`} />
    </Fact>
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
      <Fact label={t.audit.batch}>
        <TextLink to={`/batches/${String(value)}`} size="xs">
          {t.audit.openBatch}
        </TextLink>
      </Fact>
    )
  }
  if (isIdDetail(name)) {
    return idRow(label, value === null ? null : String(value))
  }
  return (
    <Fact label={label}>
      {name === 'command' ? <code>{visibleName(String(value))}</code> : shown(detailText(name, value))}
    </Fact>
  )
}

const Facts = ({ event, isOwn }: { event: AuditEventDto; isOwn: boolean }) => (
  <dl className={facts.facts} aria-label={t.audit.details(event.id)}>
    <Fact label={t.audit.at}>{exactTime(Date.parse(event.at))}</Fact>
    <Fact label={t.audit.outcome}>
      <OutcomeMark outcome={event.outcome} />
    </Fact>
    <Fact label={t.common.kind}>{auditCategories[event.category as AuditCategory] ?? visibleName(event.category)}</Fact>
    {event.count > 1 && <Fact label={t.audit.repeated}>{t.audit.times(event.count)}</Fact>}
    <Fact label={t.audit.actor}>
      {event.actorName !== null && shown(event.actorName)}
      <span className="muted">{t.audit.actorKinds[event.actorKind]}</span>
    </Fact>
    {idRow(t.audit.actorId, event.actorId)}
    {textRow(t.audit.credential, event.credentialKind && credentialText(event.credentialKind))}
    {idRow(t.audit.credentialId, event.credentialId)}
    {idRow(t.audit.address, event.address)}
    {textRow(t.audit.browser, event.browser)}
    {(event.targetName !== null || event.targetKind !== null) && (
      <Fact label={t.audit.target}>
        {event.targetName !== null && shown(event.targetName)}
        {event.targetKind !== null && (
          <span className="muted" style={{ overflowWrap: 'normal' }}>
            {visibleName(targetText(event.targetKind))}
          </span>
        )}
      </Fact>
    )}
    {idRow(t.audit.targetId, event.targetId)}
    {event.deviceId !== null && (
      <Fact label={t.common.device}>
        {shown(event.deviceName ?? '')}
        <TextLink to={deviceAddress(event.deviceId)} size="xs">
          {t.audit.openDevice}
        </TextLink>
      </Fact>
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
  isOfServer: boolean
  /** The entry, if the list has it. */
  known: AuditEventDto | undefined
  onFilter: (changes: Partial<AuditState>) => void
  onClose: () => void
}

/** Every field of an entry, beside the list. */
export function AuditPane({ id, isOfServer, known, onFilter, onClose }: AuditPaneProps) {
  const query = useQuery({
    ...auditQueries.event(isOfServer, id),
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
