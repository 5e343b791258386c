import type { App, Call } from '../call/call.ts'
import type { EarlyEvidence, Ending } from './presence.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { Rivals } from './tables.ts'

/** Reason of a rejected device update: a wrong key, a wrong clock, or a wrong tenant. */
export type RefusalKind = 'key' | 'clock' | 'tenant'

/** Evidence about an absence, the latest of each kind; times in ms since 1970. */
export interface Evidence extends EarlyEvidence {
  /** End of the last connection, unless this server ended the connection. */
  ended?: Ending
  /** Rejected update of a client that claimed to be this device. */
  refused?: { at: number; kind: RefusalKind; address: string }
  /** Impostor that answered the device in place of this server, as reported by the agent. */
  stranger?: { at: number; address: string; seen: string }
  /** Time until which reports of impostors are dismissed. */
  strangerRead?: { at: number }
  /** Agent's reason to reject the offered update; null removes the reason. */
  updateRefused?: { at: number; reason: string } | null
  /**
   * Two machines with the identity of the device, the one that was chosen to keep it, and a sealed installer key for the other
   * one; null removes all.
   */
  twoMachines?: { at: number; rivals: Rivals; keptId?: string; sealedKey?: string } | null
  /** Magic packet sent by neighbors. */
  wake?: { at: number; neighbourIds: string[] }
}

/** Writes in batches, because many devices write at once when a network fails. */
const batchOptions = {
  sql: `INSERT INTO device_evidence (deviceId, evidence)
    SELECT devices.id, u.value ->> 'evidence'
    FROM jsonb_each(?) AS u JOIN devices ON devices.id = u.value ->> 'deviceId' WHERE true
    ON CONFLICT (deviceId) DO UPDATE SET evidence = json_patch(device_evidence.evidence, excluded.evidence)
    RETURNING deviceId AS key`,
  key: ({ deviceId }: { deviceId: string; evidence: Evidence }) => deviceId,
  isMirrored: false as const,
}

export function storeEvidence({ database, presence }: App, deviceId: string, evidence: Evidence): Promise<unknown> {
  presence.noteEarly(deviceId, evidence)
  return database.batch(batchOptions).run({ deviceId, evidence })
}

/**
 * Stores evidence about a device, replacing earlier evidence of its kind. Failures are only logged, because evidence is
 * informational.
 */
export async function noteEvidence(app: App, deviceId: string, evidence: Evidence): Promise<void> {
  try {
    await storeEvidence(app, deviceId, evidence)
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'Evidence about an absence could not be stored.')
  }
}

export async function evidenceOf({ models, presence }: App, deviceId: string): Promise<Evidence> {
  const row = await models.DeviceEvidence.findByPk(deviceId)
  const ended = presence.endingOf(deviceId)
  return { ...(row && (JSON.parse(row.evidence) as Evidence)), ...(ended && { ended }) }
}

/** Dismisses impostor reports until `at`, in ms since 1970; later impostors are reported again. */
export async function dismissStranger({ app, actor }: Call, { id }: DeviceState, at: number): Promise<void> {
  await storeEvidence(app, id, { strangerRead: { at: Math.min(at, app.clock.now()) } })
  app.log.info({ deviceId: id, actor }, 'A report of a wrong identity was dismissed.')
}

/** Records a rejected update that names a device. Ignored for connected devices, whose absence needs no explanation. */
export function noteRefusal(app: App, device: DeviceState | undefined, kind: RefusalKind, address: string): void {
  const at = app.clock.now()
  if (device && device.connectionId === '' && app.presence.isNewRefusal(device.id, at)) {
    void noteEvidence(app, device.id, { refused: { at, kind, address } })
  }
}
