import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { AccessTraces } from './access-traces.ts'
import { Chats } from './chats.ts'
import { DeviceSignatures } from './device-signatures.ts'
import { Heartbeats } from './heartbeats.ts'
import { PageTickets } from './page-tickets.ts'
import { Presence } from './presence.ts'
import { RemoteSessions } from './remote-sessions.ts'
import { RunningBatches } from './running-batches.ts'
import { RunningUploads } from './running-uploads.ts'
import { RunningWork } from './running-work.ts'
import { SignInAttempts } from './sign-in-attempts.ts'
import { UpdateProgress } from './update-progress.ts'
import { UsedCeremonies } from './used-ceremonies.ts'

/** Live state that no table holds; empty after a start. */
export interface Live {
  accessTraces: AccessTraces
  batches: RunningBatches
  chats: Chats
  deviceSignatures: DeviceSignatures
  heartbeats: Heartbeats
  pageTickets: PageTickets
  presence: Presence
  remoteSessions: RemoteSessions
  runningUploads: RunningUploads
  runningWork: RunningWork
  signInAttempts: SignInAttempts
  updateProgress: UpdateProgress
  usedCeremonies: UsedCeremonies
}

interface Dependencies {
  clock: Clock
  log: Log
  /** Maximum age of a signed device update; undefined: not checked. */
  clockSkewToleranceMs: number | undefined
}

export const createLive = ({ clock, log, clockSkewToleranceMs }: Dependencies): Live => ({
  accessTraces: new AccessTraces(),
  batches: new RunningBatches(),
  chats: new Chats(),
  deviceSignatures: new DeviceSignatures(clock, clockSkewToleranceMs),
  heartbeats: new Heartbeats(),
  pageTickets: new PageTickets({ clock }),
  presence: new Presence(),
  remoteSessions: new RemoteSessions(),
  runningUploads: new RunningUploads(),
  runningWork: new RunningWork(log),
  signInAttempts: new SignInAttempts(),
  updateProgress: new UpdateProgress(),
  usedCeremonies: new UsedCeremonies(),
})
