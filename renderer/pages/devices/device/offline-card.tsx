import { Button, Skeleton } from '@mantine/core'
import { IconBolt, IconPlugConnectedX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DeviceAbsenceDto } from '../../../../shared/dtos/device-absence.ts'
import { deviceQueries } from '../../../api/device-queries.ts'
import { Moment } from '../../../components/moment.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useIsLate } from '../../../hooks/use-is-late.ts'
import { useNow } from '../../../hooks/use-now.ts'
import * as t from '../../../texts.ts'
import { exactTime, moment } from '../../../text/format.ts'
import { usePageDevice, type PageDevice } from '../../../hooks/use-page-device.ts'
import { WatchButton } from '../../../features/alerts/watch-button.tsx'
import { useVisit } from './visit.ts'
import { titleOf } from './absence-title.ts'
import { RivalMachines } from './rival-machines.tsx'
import classes from './overview.module.css'

const texts = t.visit.absence
const refreshMs = 15_000
const namesShown = 2

const namesOf = (neighbours: DeviceAbsenceDto['neighbours']) => neighbours.slice(0, namesShown).map(({ name }) => name)

/** Reason why the device cannot be woken, or undefined. */
function obstacleToWake({ device, can }: PageDevice, absence: DeviceAbsenceDto) {
  if (device.macAddresses.length === 0) {
    return texts.noMac
  }
  if (absence.neighbours.length + absence.otherNeighbours === 0) {
    return texts.noNeighbour
  }
  return can('device.wake.send') ? undefined : texts.mayNotWake
}

/** Button to wake the device by its neighbours. */
function WakeAdvice({ absence }: { absence: DeviceAbsenceDto }) {
  const { act, outcome } = useVisit()
  const { neighbours, otherNeighbours, wake } = absence
  const number = neighbours.length + otherNeighbours
  const isUnderWay = outcome?.action === 'wake' && outcome.phase === 'asking'
  const near = neighbours.filter(({ isSameSubnet }) => isSameSubnet)
  const isNear = near.length > 0
  const first = isNear ? near : neighbours
  const textOf = isNear ? texts.wakeNear : texts.wakeFar
  const hidden = isNear ? 0 : otherNeighbours
  const also = isNear ? number - near.length : 0
  return (
    <>
      <div className={classes.wake}>
        <Button leftSection={<IconBolt size={16} />} loading={isUnderWay} onClick={() => act('wake')}>
          {texts.wakeIt}
        </Button>
        <span>
          {textOf(namesOf(first), first.length - namesOf(first).length + hidden)}
          {also > 0 && texts.wakeAlso(also)}
        </span>
      </div>
      {wake && (
        <p className="small muted">
          {texts.lastWake(namesOf(wake.by), wake.others + Math.max(0, wake.by.length - namesShown))}{' '}
          <RelativeTime at={wake.at} />.
        </p>
      )}
    </>
  )
}

/** Explains since when and why the device is offline, with evidence and advice. */
export function OfflineCard() {
  const place = usePageDevice()
  const { device } = place
  const { outcome } = useVisit()
  const now = useNow()
  const { data, error, isPending } = useQuery({
    // Actions on the device since then are evidence too.
    ...deviceQueries.absence(device.id, `${device.lastSeen} ${outcome?.askedAt} ${outcome?.phase}`),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const isLate = useIsLate(isPending)
  const cause = data?.cause ? texts.causes[data.cause] : undefined
  const obstacle = data && obstacleToWake(place, data)
  return (
    <section className={classes.card} aria-label={texts.since(moment(Date.parse(device.lastSeen)))}>
      <IconPlugConnectedX size={22} stroke={1.6} aria-hidden className={classes.cardIcon} />
      <div className={classes.cardText}>
        <h2>{(data && titleOf(data, now)) ?? texts.since(moment(Date.parse(device.lastSeen)))}</h2>
        <p className="muted" title={exactTime(Date.parse(device.lastSeen))}>
          {texts.since(moment(Date.parse(device.lastSeen)))} (<RelativeTime at={device.lastSeen} />)
        </p>
        <WatchButton device={device} />
        {isLate && <Skeleton height={120} mt={8} />}
        {error && !data && <p role="alert">{texts.failed}</p>}
        {data && cause && (
          <>
            <p>{cause.why}</p>
            <RivalMachines machines={data.machines} />
            <h3>{texts.tryTitle}</h3>
            {data.cause !== 'two-machines' &&
              (obstacle === undefined ? <WakeAdvice absence={data} /> : cause.hintWithoutWake && <p>{obstacle}</p>)}
            <p>{(obstacle !== undefined && cause.hintWithoutWake) || cause.hint}</p>
            {data.evidence.length > 0 && (
              <>
                <h3>{texts.evidenceTitle}</h3>
                <ul className={classes.evidence}>
                  {data.evidence.map(({ kind, at, detail }) => (
                    <li key={`${kind} ${at}`}>
                      <Moment at={at} />
                      <span>{texts.evidence[kind](detail)}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </section>
  )
}
