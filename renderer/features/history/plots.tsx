import { Box, Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useId, useState, type ReactNode } from 'react'
import { historyRanges, type HistoryRange } from '../../../shared/dtos/history.ts'
import { exactTime, moment } from '../../text/format.ts'
import * as t from '../../texts.ts'
import card from '../../components/card-page.module.css'
import classes from './history.module.css'
import type { PlotData } from './lines.ts'

const Plot = lazy(() => import('./plot.tsx'))

interface RangeProps {
  range: HistoryRange
  onChange: (range: HistoryRange) => void
}

const isRange = (text: string): text is HistoryRange => historyRanges.some((range) => range === text)

export const RangeControl = ({ range, onChange }: RangeProps) => (
  <SegmentedControl
    size="xs"
    aria-label={t.history.range}
    data={historyRanges.map((value) => ({ value, label: t.history.ranges[value] }))}
    value={range}
    onChange={(value) => isRange(value) && onChange(value)}
  />
)

/** Whether the values are shown as a table, also after another range was chosen. */
export interface TableState {
  isTable: boolean
  onTable: (isTable: boolean) => void
}

interface PlotsProps {
  range: HistoryRange
  times: readonly number[]
  plots: readonly PlotData[]
  /** Rows below a plot, by its label. */
  legend?: (label: string) => ReactNode
  height?: number
}

/** Every value, newest first: for screen readers, and for those who want numbers. */
function ValueTable({ range, times, plots }: PlotsProps) {
  const columns = plots.flatMap(({ lines, format }) => lines.map((line) => ({ ...line, format })))
  return (
    <div className={card.frame} role="region" aria-label={t.history.tableOf(range)} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t.history.time}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((at, step) => (
              <tr key={at}>
                <th scope="row" title={exactTime(at)}>
                  {moment(at)}
                </th>
                {columns.map(({ name, values, format }) => (
                  <td key={name} className="tabular">
                    {values[step] == null ? '–' : format(values[step])}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

interface FigureProps extends Omit<PlotsProps, 'plots'> {
  plot: PlotData
  pointerKey: string
}

function Figure({ range, times, plot, pointerKey, legend, height = 84 }: FigureProps) {
  const { label, lines, top, format, summary, description } = plot
  const [pointed, setPointed] = useState<number>()
  const at = pointed === undefined ? undefined : times[pointed]
  const valueOf = (values: PlotData['lines'][number]['values']) => {
    const value = pointed === undefined ? undefined : values[pointed]
    return value == null ? t.history.unknown : format(value)
  }
  return (
    <Box miw={0}>
      <Group align="stretch" gap="0 8px" justify="space-between">
        <span>{label}</span>
        <span className="muted small tabular">
          {at === undefined ? summary : t.history.at(moment(at), lines.map(({ values }) => valueOf(values)).join(', '))}
        </span>
      </Group>
      <Suspense fallback={<div style={{ height }} />}>
        <Plot {...{ range, times, lines, top, format, description, pointerKey, height }} onPoint={setPointed} />
      </Suspense>
      {legend?.(label)}
    </Box>
  )
}

/** Plots over the same time, or their values as a table. */
export function Plots({ isTable, onTable, ...props }: PlotsProps & TableState) {
  const pointerKey = useId()
  const { plots, ...shared } = props
  return (
    <Stack gap={8}>
      {isTable ? (
        <ValueTable {...props} />
      ) : (
        plots.map((plot) => <Figure key={plot.label} {...shared} plot={plot} pointerKey={pointerKey} />)
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.toggle!}
        leftSection={<IconTable size={15} stroke={1.6} />}
        aria-pressed={isTable}
        title={t.history.tableHint}
        onClick={() => onTable(!isTable)}
      >
        {t.history.table}
      </Button>
    </Stack>
  )
}
