import { applianceBackup } from '../../shared/api/appliance-backup.ts'
import type { App, RouteCall } from '../call/call.ts'
import { refuseRestrictedToken } from '../rights/restricting-token.ts'
import { presentBackup } from './present.ts'
import { copiesIn } from './copies.ts'
import { makeBackup } from './make-backup.ts'
import { makeRecoveryKey, proveRecoveryKey } from './make-recovery-key.ts'
import { rehearse } from './rehearse.ts'
import { refused, restoreCopy, restoreFirst, restoreUpload } from './restore.ts'
import { changeBackupSettings } from './backup-settings.ts'
import { isOld, keyFingerprint, readState } from './backup-state.ts'
import { isOnDiskOfData } from './backup-folder.ts'
import { implement } from '../surface/implement.ts'

async function presented(app: App) {
  const state = await readState(app)
  return presentBackup(state, {
    fingerprint: keyFingerprint(state),
    isOld: isOld(state, app.clock.now()),
    isOnDiskOfData: await isOnDiskOfData(app, state.folder),
  })
}

/** Waits for work of the engine; its sentences become answers. */
async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw refused(error)
  }
}

/** Throws 403 for a restricted token: a recovery key opens everything, and a restored copy brings any rights. */
function withWholeRights(call: RouteCall): RouteCall {
  refuseRestrictedToken(call.app, call.principal)
  return call
}

export const applianceBackupRoutes = implement(applianceBackup, {
  get: ({ app }) => presented(app),
  copies: async ({ app }) => ({ items: await answered(copiesIn(await readState(app))) }),
  make: async ({ app, actor }) => {
    await answered(makeBackup(app, actor))
    return presented(app)
  },
  rehearse: async ({ app, actor }) => {
    await answered(rehearse(app, actor))
    return presented(app)
  },
  changeSettings: async (call, { body }) => {
    await answered(changeBackupSettings(call, body))
    return presented(call.app)
  },
  makeRecoveryKey: (call) => makeRecoveryKey(withWholeRights(call)),
  proveRecoveryKey: async (call, { body }) => {
    await answered(proveRecoveryKey(call, body.recoveryKey))
    return presented(call.app)
  },
  restoreCopy: (call, { body }) => restoreCopy(withWholeRights(call), body),
  restoreFirst: (call, { body }) => restoreFirst(call, body),
  restoreUpload: (call, { body }) => restoreUpload(call, body),
})
