import type { Values } from './curve-values.ts'

/** A curve of a plot. */
export interface Line {
  name: string
  values: Values
  /** Token of its color. */
  color: string
  isDashed?: boolean
  isFilled?: boolean
  /** The value holds for the whole step. */
  isStepped?: boolean
}

const lineColors = ['line-1', 'line-2', 'line-3', 'line-4'] as const

/** Color and dashes of a line among others: distinct also for people who do not see red and green apart. */
export const lineStyle = (index: number): Pick<Line, 'color' | 'isDashed'> => ({
  color: lineColors[index % lineColors.length]!,
  isDashed: index >= lineColors.length,
})

/** A plot with its texts. */
export interface PlotData {
  label: string
  lines: readonly Line[]
  top: number
  format: (value: number) => string
  /** Shown beside the label unless the pointer is on a plot. */
  summary: string
  description: string
}
