import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { FleetHistoryDto, HistoryRange } from '../../../shared/dtos/history.ts'
import { historyQueries, type HistorySelection } from '../../api/history-queries.ts'
import { QueryState } from '../../components/query-state.tsx'
import { percent } from '../../text/format.ts'
import * as t from '../../texts.ts'
import classes from './history.module.css'
import type { PlotData } from './lines.ts'
import { Plots, RangeControl, type TableState } from './plots.tsx'
import { lastKnown, shareOf, type Values } from './curve-values.ts'

const count = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 0 })

/** Devices online, with the number of devices as the top of the axis. */
function onlinePlot({ online, known, devices }: FleetHistoryDto, range: HistoryRange, label: string): PlotData {
  const values = online.filter((value) => value !== null)
  const last = lastKnown(online)
  return {
    label,
    lines: [{ name: t.history.online, values: online, color: 'online-mark', isFilled: true, isStepped: true }],
    top: Math.max(1, ...known),
    format: count,
    summary: last === undefined ? t.history.unknown : t.history.devicesOnline(last, devices),
    description: t.history.describeDevices(
      range,
      last === undefined ? t.history.unknown : t.history.devicesOnline(last, devices),
      count(Math.min(...values)),
      count(Math.max(0, ...values)),
    ),
  }
}

function meanPlot(label: string, values: Values, range: HistoryRange): PlotData {
  const mean = shareOf(values)
  const highest = percent(Math.max(0, ...values.map((value) => value ?? 0)))
  const summary = mean === undefined ? t.history.unknown : t.history.mean(percent(mean))
  return {
    label,
    lines: [{ name: label, values, color: 'line-1', isFilled: true }],
    top: 1,
    format: percent,
    summary,
    description: t.history.describe(label, range, summary, highest),
  }
}

/** The last value is the present one, which is known before anything is recorded. */
const isEmpty = ({ online }: FleetHistoryDto) => online.slice(0, -1).every((value) => value === null)

interface FleetPlotsProps extends TableState {
  history: FleetHistoryDto
  range: HistoryRange
  onlyOnline?: boolean
}

function FleetPlots({ history, range, onlyOnline = false, isTable, onTable }: FleetPlotsProps) {
  const { start, stepMs } = history
  const times = useMemo(
    () => history.online.map((_, step) => Date.parse(start) + step * stepMs),
    [history, start, stepMs],
  )
  const plots = useMemo(
    () => [
      onlinePlot(history, range, onlyOnline ? t.history.onlineWeek : t.history.online),
      ...(onlyOnline
        ? []
        : [
            meanPlot(t.history.cpu, history.cpu, range),
            meanPlot(t.history.memory, history.memory, range),
            meanPlot(t.history.fullestDisk, history.disk, range),
          ]),
    ],
    [history, range, onlyOnline],
  )
  return isEmpty(history) ? (
    <p className={classes.empty}>{t.history.empty}</p>
  ) : (
    <Plots {...{ range, times, plots, isTable, onTable }} {...(onlyOnline && { height: 120 })} />
  )
}

/** Devices online and their load, of a customer or a tag. */
export function FleetHistory({ of }: { of: HistorySelection }) {
  const [range, setRange] = useState<HistoryRange>('week')
  const [isTable, setIsTable] = useState(false)
  const query = useQuery(historyQueries.fleet(of, range))
  return (
    <>
      <RangeControl range={range} onChange={setRange} />
      <Box mih={440} mt={12}>
        {query.data ? (
          <FleetPlots {...{ range, isTable }} history={query.data} onTable={setIsTable} />
        ) : (
          <QueryState query={query} height={440} />
        )}
      </Box>
    </>
  )
}

/** Devices online over the last week, of all that the person can see. */
export function OnlineWeek() {
  const [isTable, setIsTable] = useState(false)
  const query = useQuery(historyQueries.fleet({}, 'week'))
  return (
    <Box component="section" mb={16} aria-label={t.history.onlineWeek}>
      <Box mih={170}>
        {query.data ? (
          <FleetPlots {...{ isTable }} history={query.data} range="week" onlyOnline onTable={setIsTable} />
        ) : (
          <QueryState query={query} height={170} />
        )}
      </Box>
    </Box>
  )
}
