import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { HistoryRange } from '../../../shared/dtos/history.ts'
import { shortDay, timeOfDay, weekday } from '../../text/format.ts'
import classes from './history.module.css'
import type { Line } from './lines.ts'
import { alone } from './curve-values.ts'

const daySeconds = 24 * 3_600
/** Distances between the times below a plot, and how they are written. */
const axes: Record<HistoryRange, { increments: number[]; format: (at: number) => string }> = {
  day: { increments: [3, 6, 12].map((hours) => hours * 3_600), format: timeOfDay },
  week: { increments: [1, 2].map((days) => days * daySeconds), format: weekday },
  quarter: { increments: [7, 14, 28].map((days) => days * daySeconds), format: shortDay },
}

const valueAxisWidth = 40
const rightPadding = 8
/** Least distance of a label from the ends of the plot, in px. */
const leastDistance = 16
const font = '11px Inter, system-ui, sans-serif'

export interface PlotProps {
  range: HistoryRange
  /** Start of each step, ms since 1970. */
  times: readonly number[]
  lines: readonly Line[]
  /** Highest value of the axis; the lowest is 0. */
  top: number
  format: (value: number) => string
  description: string
  /** Plots with the same key show their pointers at the same time. */
  pointerKey: string
  height: number
  /** Called with the step below the pointer. */
  onPoint: (step: number | undefined) => void
}

/** Curves on a canvas. A default export, because uPlot is loaded with the first plot. */
export default function Plot(props: PlotProps) {
  const { range, times, lines, top, format, description, pointerKey, height, onPoint } = props
  const host = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const element = host.current
    if (!element) {
      return
    }
    const style = getComputedStyle(element)
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
    const axis = { stroke: color('text-muted'), font, ticks: { show: false } }
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        padding: [8, rightPadding, 0, 0],
        scales: { x: { time: true }, y: { range: [0, top] } },
        cursor: { drag: { x: false, y: false }, y: false, sync: { key: pointerKey, setSeries: false } },
        axes: [
          {
            ...axis,
            size: 20,
            gap: 2,
            space: 64,
            incrs: axes[range].increments,
            // A label at the left end would meet the lowest value, one at the right end would be cut.
            values: (self, splits) =>
              splits.map((at) => {
                const left = self.valToPos(at, 'x')
                const right = self.width - valueAxisWidth - rightPadding - left
                return Math.min(left, right) < leastDistance ? null : axes[range].format(at * 1_000)
              }),
            grid: { show: false },
          },
          {
            ...axis,
            size: valueAxisWidth,
            gap: 4,
            splits: [0, top],
            values: (_, splits) => splits.map(format),
            grid: { stroke: color('border'), width: 1 },
          },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.name,
            stroke: color(line.color),
            width: 1.5,
            ...(line.isDashed && { dash: [5, 3] }),
            ...(line.isFilled && { fill: `${color(line.color)}26` }),
            ...(line.isStepped && { paths: UPlot.paths.stepped!({ align: 1 }) }),
            points: { show: true, size: 4, filter: () => alone(line.values) },
          })),
        ],
        hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
      },
      [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [range, times, lines, top, format, pointerKey, height, onPoint, scheme])
  return <div ref={host} role="img" aria-label={description} className={classes.canvas} style={{ height }} />
}
