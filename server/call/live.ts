import { dayMs, hourMs } from '../../shared/durations.ts'
import { Mutex } from '../../shared/mutex.ts'
import type { Clock } from '../ground/clock.ts'
import type { Config } from '../settings/config.ts'
import type { Log } from '../ground/log.ts'
import { AccessTraces, type VisitObserver } from '../remote/access-traces.ts'
import { AlertSignals } from '../alerts/signals.ts'
import { BatchFiles } from '../batches/batch-files.ts'
import { BlockedKeys } from '../credentials/blocked-keys.ts'
import { OpenChats } from '../remote/open-chats.ts'
import { ClockWatch } from '../health/clock-watch.ts'
import { ConsentAnswers } from '../remote/consent-answers.ts'
import { DiskSpace } from '../health/disk-space.ts'
import { DeviceSignatures } from '../agents/device-signatures.ts'
import { EventLoop } from '../health/event-loop.ts'
import { followedFiles } from '../files/followed-files.ts'
import { Histories } from '../history/histories.ts'
import { FairMutex } from '../engines/flow/fair-mutex.ts'
import { FollowedDevices } from '../devices/followed-devices.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import { Readings } from '../recordings/open-readings.ts'
import { Recorders } from '../recordings/recorders.ts'
import { PowerStates } from '../devices/power-states.ts'
import { Presence } from '../devices/presence.ts'
import { RemoteSessions } from '../remote/remote-sessions.ts'
import { RetentionClock } from '../health/retention-clock.ts'
import { SharedIdentities } from '../agents/shared-identities.ts'
import { RunningBatches } from '../batches/running-batches.ts'
import { scratchDirectoryOf } from '../engines/flow/scratch-file.ts'
import { transferLimit } from '../files/transfer-limit.ts'
import { RunningUploads } from '../files/running-uploads.ts'
import { RunningWork } from './running-work.ts'
import { SignInAttempts } from '../identity/sign-in-attempts.ts'
import { UpdateProgress } from '../updates/update-progress.ts'

interface Dependencies {
  clock: Clock
  log: Log
  config: Pick<Config, 'appOptions' | 'dataDirectory'>
  tenants: () => number
  visits: VisitObserver | undefined
}

/** Live state that no table holds; empty after a start. */
export const createLive = ({ clock, log, config, tenants, visits }: Dependencies) => ({
  accessTraces: new AccessTraces(visits),
  alertSignals: new AlertSignals(),
  /** Copies are written and rehearsed one at a time. */
  backupWork: new Mutex(),
  batches: new RunningBatches(),
  batchFiles: new BatchFiles({
    clock,
    directory: scratchDirectoryOf(config),
    largest: () => transferLimit({ config }),
    tenants,
  }),
  blockedKeys: new BlockedKeys(clock),
  chats: new OpenChats(),
  clockWatch: new ClockWatch(),
  consentAnswers: new ConsentAnswers(clock),
  deviceSignatures: new DeviceSignatures(clock, config.appOptions.agentClockSkewToleranceMs),
  diskSpace: new DiskSpace({
    directory: config.dataDirectory,
    leastFree: () => config.appOptions.minFreeDiskSpace,
    log,
  }),
  eventLoop: new EventLoop(),
  followedFiles: followedFiles(),
  followedDevices: new FollowedDevices(),
  histories: new Histories(),
  /** Statements that search logs, see `call/log-reads.ts`. */
  logReads: new FairMutex(),
  /** Looks for notifications to send; does nothing before the start. */
  notificationLanes: { wake: () => {} },
  pageTickets: new WindowedCounts(clock, { windowMs: 60_000 }),
  powerStates: new PowerStates(),
  presence: new Presence(),
  readings: new Readings(),
  recorders: new Recorders(),
  remoteSessions: new RemoteSessions(clock),
  retentionClock: new RetentionClock(clock),
  runningUploads: new RunningUploads(),
  runningWork: new RunningWork(log),
  sharedIdentities: new SharedIdentities(clock),
  signInAttempts: new SignInAttempts(),
  /** Mails that their recipients may not have asked for, by recipient and by account. */
  unaskedMails: new WindowedCounts(clock, { windowMs: dayMs, maxKeys: 50_000 }),
  /** Mails of the last hour that anybody may ask for, by recipient. */
  hourlyMails: new WindowedCounts(clock, { windowMs: hourMs, maxKeys: 50_000 }),
  updateProgress: new UpdateProgress(),
  /** Looks for events to send to webhooks; does nothing before the start. */
  webhookLanes: { wake: () => {} },
})

export type Live = ReturnType<typeof createLive>
