import * as t from '../../texts.ts'
import classes from './room.module.css'
import type { StageMetrics } from './stage-messages.ts'

const whole = (value: number) => Math.round(value).toLocaleString()

/** Statistics of the session. */
export function Figures({ metrics }: { metrics: StageMetrics }) {
  const { framesPerSecond, mbps, latencyMs, droppedFrames, quality, captureMode } = metrics
  const rows: [string, string][] = [
    [t.control.figures.fps, whole(framesPerSecond)],
    [t.control.figures.mbps, mbps.toFixed(1)],
    [t.control.figures.latency, latencyMs === undefined ? t.common.none : whole(latencyMs)],
    [t.control.figures.dropped, whole(droppedFrames)],
    [t.control.figures.quality, quality === undefined ? t.common.none : whole(quality)],
    [t.control.figures.capture, captureMode.slice(0, 40) || t.common.none],
  ]
  return (
    <dl className={`${classes.figures} small`} aria-label={t.control.figures.title}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
