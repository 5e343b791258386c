import type { StopReason } from '../../../shared/dtos/device-commands.ts'
import type { App, Call } from '../../call.ts'
import type { Ending } from '../../live/presence.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'

/** Why an update of a device was refused: another key than the stored one, a wrong clock, or another tenant. */
export type RefusalKind = 'key' | 'clock' | 'tenant'

/** What may explain that a device is away, the latest of each kind; times in ms since 1970. */
export interface Evidence {
  /** How its last connection ended, unless this server ended it. */
  ended?: Ending
  /** What the agent said before it stopped; not every agent does. */
  announced?: { at: number; reason: StopReason }
  /** A person asked for it. */
  power?: { at: number; change: 'restart' | 'shutdown' }
  update?: { at: number; fromVersion: string }
  uninstall?: { at: number }
  /** Somebody said to be this device and could not prove it. */
  refused?: { at: number; kind: RefusalKind; address: string }
  /** Something else answered the device in place of this server, as its agent says. */
  stranger?: { at: number; address: string; seen: string }
  /** A person has read of whoever stood in until then. */
  strangerRead?: { at: number }
  /** The agent does not install what is offered, and says why; null removes it. */
  updateRefused?: { at: number; reason: string } | null
  /** Neighbours sent a magic packet. */
  wake?: { at: number; neighbourIds: string[] }
}

/** One statement for all of them, which many devices need at once when a network fails. */
const batchOptions = {
  sql: `INSERT INTO device_evidence (deviceId, evidence)
    SELECT devices.id, u.value ->> 'evidence'
    FROM jsonb_each(?) AS u JOIN devices ON devices.id = u.value ->> 'deviceId' WHERE true
    ON CONFLICT (deviceId) DO UPDATE SET evidence = json_patch(evidence, excluded.evidence)
    RETURNING deviceId AS key`,
  key: ({ deviceId }: { deviceId: string; evidence: Evidence }) => deviceId,
}

const store = ({ database }: App, deviceId: string, evidence: Evidence) =>
  database.batch(batchOptions).run({ deviceId, evidence })

/** Keeps evidence about a device, in place of earlier one of the same kind. It explains, so a failure only goes to the log. */
export async function noteEvidence(app: App, deviceId: string, evidence: Evidence): Promise<void> {
  try {
    await store(app, deviceId, evidence)
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'What may explain an absence was not stored.')
  }
}

export async function evidenceOf({ models, presence }: App, deviceId: string): Promise<Evidence> {
  const row = await models.DeviceEvidence.findByPk(deviceId)
  const ended = presence.endingOf(deviceId)
  return { ...(row && (JSON.parse(row.evidence) as Evidence)), ...(ended && { ended }) }
}

/** Tells no more of who stood in for this server until `at`, in ms since 1970; what is met later is told. */
export async function dismissStranger({ app, actor }: Call, { id }: DeviceState, at: number): Promise<void> {
  await store(app, id, { strangerRead: { at: Math.min(at, app.clock.now()) } })
  app.log.info({ deviceId: id, actor }, 'A report of a wrong identity was dismissed.')
}

/** An update that names a device was refused. While the device is connected, that explains nothing. */
export function noteRefusal(app: App, device: DeviceState | undefined, kind: RefusalKind, address: string): void {
  const at = app.clock.now()
  if (device && device.connectionId === '' && app.presence.isNewRefusal(device.id, at)) {
    void noteEvidence(app, device.id, { refused: { at, kind, address } })
  }
}
