import { useQuery } from '@tanstack/react-query'
import { useState, type PointerEvent } from 'react'
import type { DeviceLoadDto } from '../../../../shared/dtos/device-absence.ts'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import { queries } from '../../../api/queries.ts'
import { Section } from '../../../components/device-facts.tsx'
import { QueryState } from '../../../components/query-state.tsx'
import * as t from '../../../texts.ts'
import { fraction, moment, percent, relativeTime } from '../../../text/format.ts'
import { useNow } from '../../../hooks/use-now.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import classes from './overview.module.css'
import { filled, lastKnown, pathOf, shareOf, type Values } from './plot.ts'

const height = 40

interface PlotProps {
  label: string
  values: Values
  /** Shown beside the label unless the pointer is on the plot. */
  summary: string
  description: string
  timeOf: (slot: number) => string
  tone?: 'online'
}

/** Plot of one metric over a day; the pointer shows single values. */
function Plot({ label, values, summary, description, timeOf, tone }: PlotProps) {
  const [pointed, setPointed] = useState<number>()
  const handlePointer = ({ currentTarget, clientX }: PointerEvent<SVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const slot = Math.floor(((clientX - left) / width) * values.length)
    setPointed(Math.min(values.length - 1, Math.max(0, slot)))
  }
  const value = pointed === undefined ? undefined : values[pointed]
  return (
    <div className={classes.plot} data-tone={tone}>
      <span>{label}</span>
      <span className="muted small tabular">
        {pointed === undefined
          ? summary
          : t.visit.load.at(timeOf(pointed), value == null ? t.visit.load.unknown : percent(value))}
      </span>
      <svg
        role="img"
        aria-label={description}
        viewBox={`0 0 ${values.length} ${height}`}
        preserveAspectRatio="none"
        onPointerMove={handlePointer}
        onPointerLeave={() => setPointed(undefined)}
      >
        <path d={pathOf(values, height)} />
        {pointed !== undefined && <rect className={classes.pointer} x={pointed} width={1} height={height} />}
      </svg>
    </div>
  )
}

/** Load of a device in its last report, with the age of this report. */
function useLatest({ isOnline, lastSeen, ...device }: DeviceResponseDto) {
  const age = relativeTime(Date.parse(lastSeen), useNow())
  const latest = { cpu: device.cpuUtilization, memory: fraction(device.usedMemory, device.totalMemory) }
  return (name: keyof typeof latest) =>
    isOnline ? t.visit.load.latest(percent(latest[name]), age) : t.visit.load.last(percent(latest[name]))
}

function Plots({ load, device }: { load: DeviceLoadDto; device: DeviceResponseDto }) {
  const latest = useLatest(device)
  const timeOf = (slot: number) => moment(Date.parse(load.start) + slot * load.slotMs)
  const rows = (['cpu', 'memory'] as const).map((name) => ({ name, values: filled(load[name], load.online) }))
  const online = shareOf(load.online)
  if (rows.every(({ values }) => lastKnown(values) === undefined) && online === undefined) {
    return <p className="muted">{t.visit.load.empty}</p>
  }
  return (
    <div className={classes.plots} data-old={!device.isOnline || undefined}>
      {rows.map(({ name, values }) => {
        const summary = lastKnown(values) === undefined ? t.visit.load.unknown : latest(name)
        const highest = percent(Math.max(0, ...values.map((value) => value ?? 0)))
        const label = t.visit.load[name]
        const description = t.visit.load.describe(label, summary, highest)
        return <Plot key={name} {...{ label, values, summary, description, timeOf }} />
      })}
      <Plot
        label={t.visit.load.online}
        values={load.online}
        summary={online === undefined ? t.visit.load.unknown : t.visit.load.ofDay(percent(online))}
        description={t.visit.load.describeOnline(online === undefined ? t.visit.load.unknown : percent(online))}
        timeOf={timeOf}
        tone="online"
      />
      <div className={`${classes.axis} small muted`} aria-hidden>
        <span>{t.visit.load.dayAgo}</span>
        <span>{t.visit.load.present}</span>
      </div>
    </div>
  )
}

const refreshMs = 60_000

/** CPU, memory and online time of the last day, as recorded by the server. */
export function LoadPlots() {
  const { device } = usePageDevice()
  const query = useQuery({
    ...queries.deviceLoad(device.id),
    refetchInterval: refreshMs,
  })
  return (
    <Section title={t.visit.load.title}>
      <div className={classes.plotRoom}>
        {query.data ? <Plots load={query.data} device={device} /> : <QueryState query={query} height={204} />}
      </div>
    </Section>
  )
}
