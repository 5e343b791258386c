import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { dayMs } from '../../../shared/durations.ts'
import type { AlertCondition, AlertScope } from '../../../shared/dtos/alert-rule.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { Moment } from '../../components/moment.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './alerts.module.css'

const typingMs = 300
const shownItems = 10

interface RulePreviewProps {
  condition: AlertCondition
  scope: Pick<AlertScope, 'kind' | 'id'>
}

/** Alerts that a rule would have opened in the last 7 days, as far as there is history. */
export function RulePreview({ condition, scope: { kind, id } }: RulePreviewProps) {
  const [settled] = useDebouncedValue(condition, typingMs)
  const isWhole = kind === 'everything' || id !== null
  const query = useQuery({ ...alertQueries.preview(settled, { kind, id }), enabled: isWhole })
  const { data } = query
  if (!data) {
    return isWhole && <QueryState query={query} height={60} />
  }
  const { from, count, items, isComplete, missing } = data
  const at = Date.parse(from)
  return (
    <div role="status">
      <p>{missing ?? t.alertRules.previewed(count, isComplete)}</p>
      {missing === null && Date.now() - at < 6.9 * dayMs && (
        <p className="small muted">{t.alertRules.previewFrom(moment(at))}</p>
      )}
      {missing === null && !isComplete && <p className="small muted">{t.alertRules.previewCut}</p>}
      <ul className={classes.history}>
        {items.slice(0, shownItems).map((item) => (
          <li key={`${item.at} ${item.title}`}>
            <Moment at={item.at} />
            <span>{visibleName(item.title)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
