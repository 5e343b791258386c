import { plural } from '../../shared/plural.ts'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'
import { commandCall, type App } from '../call/call.ts'
import { StartError } from '../ground/start-error.ts'
import { makeBackup } from './make-backup.ts'
import { makeRecoveryKey, proveRecoveryKey } from './make-recovery-key.ts'
import { rehearse } from './rehearse.ts'
import { shareSecrets } from './share-secrets.ts'
import { keyFingerprint, readState } from './backup-state.ts'

/* Commands about backups for whoever may read the data folder. Each is logged. */

export const BackupRequest = z.discriminatedUnion('command', [
  z.object({ command: z.literal('backup'), target: z.string().optional() }),
  z.object({ command: z.literal('backup-check') }),
  z.object({ command: z.literal('secrets-share'), path: z.string() }),
  z.object({ command: z.literal('recovery-key') }),
  z.object({ command: z.literal('recovery-key-new') }),
  z.object({ command: z.literal('recovery-key-check'), recoveryKey: z.string().max(200) }),
])
export type BackupRequest = z.output<typeof BackupRequest>

export const BackupAnswer = z.union([z.object({ lines: z.array(z.string()) }), z.object({ problem: z.string() })])
export type BackupAnswer = z.output<typeof BackupAnswer>

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

async function describeKey(app: App): Promise<string[]> {
  const state = await readState(app)
  const fingerprint = keyFingerprint(state)
  if (fingerprint === null || state.keyMadeAt === null) {
    return ['There is no recovery key yet. "recovery-key new" makes one.']
  }
  const proved = state.keyProvedAt === null ? 'never checked since' : `last checked on ${day(state.keyProvedAt)}`
  return [`Recovery key ${fingerprint}, made on ${day(state.keyMadeAt)}, ${proved}.`]
}

async function carryOut(app: App, request: BackupRequest): Promise<string[]> {
  const call = commandCall(app)
  switch (request.command) {
    case 'backup': {
      const { path, bytes } = await makeBackup(app, call.actor, request.target)
      return [`Backup written: ${path} (${bytes} bytes)`]
    }
    case 'backup-check': {
      const { path, counts, problem } = await rehearse(app, call.actor)
      if (!counts) {
        throw new BackupError(problem ?? '')
      }
      return [
        `Restorable: ${path}, with ${plural(counts.people, 'account', 'accounts')} and ${plural(counts.devices, 'device', 'devices')}.`,
      ]
    }
    case 'secrets-share': {
      const { config, clock, log, audit } = app
      const key = await shareSecrets(config.dataDirectory, request.path, { log, now: clock.now() })
      await audit.record(call.actor, { kind: 'server.secrets-shared', tenantId: null })
      return [
        `Key of the secrets: ${key}`,
        'It is shown once, and opens the file for a day. Bring both to the other server by different ways, and delete the file there.',
      ]
    }
    case 'recovery-key':
      return describeKey(app)
    case 'recovery-key-new': {
      const { publicKey: earlier } = await readState(app)
      const { recoveryKey, fingerprint } = await makeRecoveryKey(call)
      return [
        `Recovery key: ${recoveryKey}`,
        `It is shown once: print it and keep it away from this computer. Its fingerprint is ${fingerprint}.`,
        ...(earlier === null ? [] : ['Earlier backups open with the earlier recovery key.']),
      ]
    }
    case 'recovery-key-check':
      await proveRecoveryKey(call, request.recoveryKey)
      return ['This is the recovery key of this server.']
  }
}

/** Carries out a command about backups; undefined for other messages. */
export async function backupCommand(app: App, message: unknown): Promise<BackupAnswer | undefined> {
  const request = BackupRequest.safeParse(message)
  if (!request.success) {
    return undefined
  }
  try {
    return { lines: await carryOut(app, request.data) }
  } catch (error) {
    if (error instanceof StartError) {
      return { problem: error.message }
    }
    throw error
  }
}
