import type { AuditEventDto } from '../../../shared/dtos/audit-event.ts'
import { signTrack, type ListColumn } from '../../components/list-kit/virtual-list.tsx'
import { en as t } from '../../strings/en.ts'
import { exactTime, moment } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { OutcomeMark } from './outcome-mark.tsx'

export const auditColumns: readonly ListColumn<AuditEventDto>[] = [
  {
    id: 'at',
    label: t.audit.at,
    width: '136px',
    narrow: '72px',
    cell: ({ at }) => {
      const then = Date.parse(at)
      return (
        <time className="tabular muted" dateTime={at} title={exactTime(then)}>
          {moment(then)}
        </time>
      )
    },
  },
  {
    id: 'event',
    label: t.audit.event,
    width: 'minmax(0, 1fr)',
    cell: ({ sentence }) => <bdi>{visibleName(sentence)}</bdi>,
  },
  {
    id: 'address',
    label: t.audit.address,
    width: '136px',
    from: 640,
    cell: ({ address }) => <span className="mono muted">{visibleName(address ?? '')}</span>,
  },
  {
    id: 'outcome',
    label: t.audit.outcome,
    width: '76px',
    narrow: signTrack,
    cell: ({ outcome }) => <OutcomeMark outcome={outcome} />,
  },
]
