import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { AccessTraces } from './access-traces.ts'
import { Chats } from './chats.ts'
import { DiskSpace } from './disk-space.ts'
import { DeviceSignatures } from './device-signatures.ts'
import { Heartbeats } from './heartbeats.ts'
import { PageTickets } from './page-tickets.ts'
import { Presence } from './presence.ts'
import { RemoteSessions } from './remote-sessions.ts'
import { RunningBatches } from './running-batches.ts'
import { RunningUploads } from './running-uploads.ts'
import { RunningWork } from './running-work.ts'
import { SignInAttempts } from './sign-in-attempts.ts'
import { UsedCeremonies } from './used-ceremonies.ts'

/** Live state that no table holds; empty after a start. */
export interface Live {
  accessTraces: AccessTraces
  batches: RunningBatches
  chats: Chats
  deviceSignatures: DeviceSignatures
  diskSpace: DiskSpace
  heartbeats: Heartbeats
  pageTickets: PageTickets
  presence: Presence
  remoteSessions: RemoteSessions
  runningUploads: RunningUploads
  runningWork: RunningWork
  signInAttempts: SignInAttempts
  usedCeremonies: UsedCeremonies
}

interface Dependencies {
  clock: Clock
  log: Log
  /** Maximum age of a signed device update; undefined: not checked. */
  clockSkewToleranceMs: number | undefined
  /** The data folder. */
  directory: string
  /** Free bytes of its disk below which uploads are refused. */
  leastFreeDisk: () => number
}

export const createLive = ({ clock, log, clockSkewToleranceMs, directory, leastFreeDisk }: Dependencies): Live => ({
  accessTraces: new AccessTraces(),
  batches: new RunningBatches(),
  chats: new Chats(),
  deviceSignatures: new DeviceSignatures(clock, clockSkewToleranceMs),
  diskSpace: new DiskSpace({ directory, leastFree: leastFreeDisk, log }),
  heartbeats: new Heartbeats(),
  pageTickets: new PageTickets({ clock }),
  presence: new Presence(),
  remoteSessions: new RemoteSessions(),
  runningUploads: new RunningUploads(),
  runningWork: new RunningWork(log),
  signInAttempts: new SignInAttempts(),
  usedCeremonies: new UsedCeremonies(),
})
