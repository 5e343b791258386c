import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import type { DeviceHistoryDto, HistoryRange } from '../../../shared/dtos/history.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { historyQueries } from '../../api/history-queries.ts'
import { Section } from '../../components/device-facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { calendarDay, fraction, percent, relativeTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './history.module.css'
import { lineStyle, type PlotData } from './lines.ts'
import { Plots, RangeControl, type TableState } from './plots.tsx'
import { filled, lastKnown, shareOf, type Values } from './curve-values.ts'

/** A disk that will be full within this time is marked. */
const soonMs = 14 * dayMs

const timesOf = ({ start, stepMs, online }: Pick<DeviceHistoryDto, 'start' | 'stepMs' | 'online'>) =>
  online.map((_, step) => Date.parse(start) + step * stepMs)

const highest = (values: Values) => percent(Math.max(0, ...values.map((value) => value ?? 0)))

const diskName = (name: string) => visibleName(name || t.history.systemDrive)

/** Load of a device in its last report, with the age of this report. */
function useLatest({ isOnline, lastSeen, ...device }: DeviceResponseDto) {
  const age = relativeTime(Date.parse(lastSeen), useNow())
  const latest = { cpu: device.cpuUtilization, memory: fraction(device.usedMemory, device.totalMemory) }
  return (name: keyof typeof latest) =>
    isOnline ? t.history.latest(percent(latest[name]), age) : t.history.last(percent(latest[name]))
}

type Disks = DeviceHistoryDto['disks']

const Legend = ({ disks }: { disks: Disks }) => (
  <ul className={classes.legend}>
    {disks.map(({ name, used, fullAt }, index) => {
      const { color, isDashed } = lineStyle(index)
      const last = lastKnown(used)
      const at = fullAt === null ? undefined : Date.parse(fullAt)
      return (
        <li key={name}>
          <svg width={18} height={8} viewBox="0 0 18 8" aria-hidden>
            <path
              d="M1 4H17"
              stroke={`var(--${color})`}
              strokeWidth={2}
              strokeDasharray={isDashed ? '5 3' : undefined}
            />
          </svg>
          <code className="truncate">{diskName(name)}</code>
          <span className="muted small tabular">{last === undefined ? t.history.unknown : percent(last)}</span>
          {at !== undefined && (
            <span
              className="small tabular"
              title={t.history.fullHint}
              data-soon={at - Date.now() < soonMs || undefined}
            >
              {t.history.full(calendarDay(at))}
            </span>
          )}
        </li>
      )
    })}
  </ul>
)

interface Props {
  device: DeviceResponseDto
}

interface DevicePlotsProps extends Props, TableState {
  history: DeviceHistoryDto
  range: HistoryRange
}

function DevicePlots({ device, history, range, isTable, onTable }: DevicePlotsProps) {
  const latest = useLatest(device)
  const [cpu, memory] = [latest('cpu'), latest('memory')]
  const { isOnline } = device
  const times = useMemo(() => timesOf(history), [history])
  const lines = useMemo(() => {
    const fill = (values: Values) => (range === 'day' ? filled(values, history.online) : values)
    const own = (name: string, values: Values, color: string) => [
      { name, values, color: isOnline ? color : 'offline-mark', isFilled: true },
    ]
    return {
      cpu: own(t.history.cpu, fill(history.cpu), 'line-1'),
      memory: own(t.history.memory, fill(history.memory), 'line-1'),
      online: own(t.history.online, history.online, 'online-mark').map((line) => ({ ...line, isStepped: true })),
      disks: history.disks.map(({ name, used }, index) => ({
        name: diskName(name),
        values: used,
        ...lineStyle(index),
      })),
    }
  }, [history, range, isOnline])
  const isEmpty = Object.values(lines).every((some) => some.every(({ values }) => lastKnown(values) === undefined))
  if (isEmpty) {
    return <p className={classes.empty}>{t.history.empty}</p>
  }
  const online = shareOf(history.online)
  const onlineText = online === undefined ? t.history.unknown : percent(online)
  const share = { top: 1, format: percent }
  const load = (label: string, name: 'cpu' | 'memory', known: string): PlotData => {
    const { values } = lines[name][0]!
    const summary = lastKnown(values) === undefined ? t.history.unknown : known
    return {
      ...share,
      label,
      lines: lines[name],
      summary,
      description: t.history.describe(label, range, summary, highest(values)),
    }
  }
  const plots: PlotData[] = [
    load(t.history.cpu, 'cpu', cpu),
    load(t.history.memory, 'memory', memory),
    ...(lines.disks.length === 0
      ? []
      : [
          {
            ...share,
            label: t.history.disks,
            lines: lines.disks,
            summary: '',
            description: t.history.describeDisks(
              range,
              lines.disks.map(({ name, values }) => t.history.at(name, percent(lastKnown(values) ?? 0))).join(', '),
            ),
          },
        ]),
    {
      ...share,
      label: t.history.online,
      lines: lines.online,
      summary: online === undefined ? t.history.unknown : t.history.ofKnown(onlineText),
      description: t.history.describeOnline(onlineText, range),
    },
  ]
  return (
    <Plots
      {...{ range, times, plots, isTable, onTable }}
      legend={(label) => label === t.history.disks && <Legend disks={history.disks} />}
    />
  )
}

/** CPU, memory, disks and online time of a device over a day, a week or 90 days. */
export function DeviceHistory({ device }: Props) {
  const [range, setRange] = useState<HistoryRange>('day')
  const [isTable, setIsTable] = useState(false)
  const query = useQuery(historyQueries.device(device.id, range))
  return (
    <Section title={t.history.title} control={<RangeControl range={range} onChange={setRange} />}>
      <Box mih={480}>
        {query.data ? (
          <DevicePlots {...{ device, range, isTable }} history={query.data} onTable={setIsTable} />
        ) : (
          <QueryState query={query} height={480} />
        )}
      </Box>
    </Section>
  )
}
