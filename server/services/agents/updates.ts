import { zeroId } from '../../../shared/contract/fields.ts'
import type { DeviceResponseDto, DeviceUpdateRequestDto, SignedDeviceUpdateDto } from '../../../shared/dtos/device.ts'
import { failureOf, successOf, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { App } from '../../context.ts'
import type { DeviceRow } from '../../models/device.ts'
import {
  publicKeyProblem,
  readTicks,
  ReplayGuard,
  SignatureVerifier,
  type RawSignedUpdate,
} from './update-signatures.ts'
import { removeDevices } from '../devices/devices.ts'
import { publicAddress } from '../../memory/fleet/fleet.ts'

/** The hub connection that an update arrived on. */
export interface UpdateOrigin {
  connectionId: string
  remoteAddress: string
  /** Aborts when the connection ends. */
  signal: AbortSignal
  /** Binds the connection to the device of its first valid update; false when that was another one (T15). */
  claim(deviceId: string): boolean
}

export type UpdateResult = HubResult & { value: DeviceResponseDto | null }

type Reason = string

const refuse = (reason: string): UpdateResult => failureOf(reason)

/** Takes what agents report: the rules and texts of the contract's `hubs.md` section 8. */
export class DeviceUpdates {
  readonly #app: App
  readonly #verifier = new SignatureVerifier()
  readonly #replays: ReplayGuard

  constructor(app: App) {
    this.#app = app
    this.#replays = new ReplayGuard(app.clock, app.config.appOptions.agentClockSkewToleranceMs)
  }

  /** `raw` is the message as it arrived: its members in their order are what was signed. */
  async takeSigned(update: SignedDeviceUpdateDto, raw: RawSignedUpdate, from: UpdateOrigin): Promise<UpdateResult> {
    const { dto } = update
    const device = this.#app.fleet.get(dto.id)
    if (!device && !this.#mayBootstrap) {
      return refuse('Unknown device.')
    }
    const key = device?.publicKey ?? update.publicKey ?? ''
    const problem = publicKeyProblem(key)
    if (problem !== undefined) {
      return refuse(problem)
    }
    if (!(await this.#verifier.isValid(raw, key))) {
      return refuse('Signature verification failed.')
    }
    const ticks = readTicks(update.timestamp)
    if (!this.#replays.isFresh(ticks) || !this.#replays.accept(dto.id, ticks)) {
      return refuse('Timestamp expired.')
    }
    return await this.#take(dto, key, from)
  }

  /** The form of old agents, for devices without a stored key. */
  async takeUnsigned(dto: DeviceUpdateRequestDto, from: UpdateOrigin): Promise<UpdateResult> {
    const device = this.#app.fleet.get(dto.id)
    if (device?.publicKey != null) {
      return refuse('Device requires signed updates.')
    }
    if (!device && !this.#mayBootstrap) {
      return refuse('Device does not exist in the database.')
    }
    return await this.#take(dto, null, from)
  }

  get #mayBootstrap() {
    return this.#app.config.appOptions.allowAgentsToSelfBootstrap
  }

  async #take(dto: DeviceUpdateRequestDto, key: string | null, from: UpdateOrigin): Promise<UpdateResult> {
    if (!from.claim(dto.id)) {
      return refuse('This connection speaks for another device.')
    }
    try {
      return await this.#store(dto, key, from)
    } catch (error) {
      this.#app.log.error({ err: error, deviceId: dto.id }, 'A device update failed unexpectedly.')
      return refuse('An error occurred while updating the device.')
    }
  }

  async #store(dto: DeviceUpdateRequestDto, key: string | null, from: UpdateOrigin): Promise<UpdateResult> {
    const app = this.#app
    if (app.config.serverLifecycle.decommissionServer) {
      await this.#decommission(dto.id, from)
      return refuse('Server is decommissioned.')
    }
    const { id, tenantId, ...report } = dto
    const known = app.fleet.get(id)
    const reason = known ? this.#tenantProblem(tenantId, known.tenantId) : await this.#bootstrap(dto, key, from)
    if (reason !== undefined) {
      return refuse(reason)
    }
    const device = await app.fleet.report(id, report, { ...from, key })
    if (!device) {
      return refuse('Device does not exist in the database.')
    }
    app.heartbeats.push(device)
    return successOf(app.presentDevice(device))
  }

  /** A known device never changes its tenant. Where agents enrol themselves, the one that they name does not count. */
  #tenantProblem(claimed: string, actual: string): Reason | undefined {
    return claimed === zeroId || claimed === actual || this.#mayBootstrap ? undefined : 'Invalid tenant ID.'
  }

  /** Enrols an unknown device into the only tenant; the reason when that is not possible. */
  async #bootstrap(
    dto: DeviceUpdateRequestDto,
    publicKey: string | null,
    from: UpdateOrigin,
  ): Promise<Reason | undefined> {
    const app = this.#app
    const tenants = await app.models.Tenant.findAll({ limit: 2 })
    const only = tenants[0]
    if (!only) {
      return 'No tenants found.'
    }
    if (tenants.length > 1) {
      return 'Self-bootstrap is only allowed on single-tenant servers. Use an installer key instead.'
    }
    if (dto.tenantId !== zeroId && dto.tenantId !== only.id) {
      return 'Invalid tenant ID.'
    }
    const now = app.clock.now()
    const row: DeviceRow = {
      ...dto,
      tenantId: only.id,
      createdAt: now,
      lastSeen: now,
      alias: null,
      publicKey,
      ...publicAddress(from.remoteAddress),
      customerId: null,
    }
    const isNew = await app.database.write(async (transaction) => {
      // Somebody may have enrolled it while this one waited for its turn.
      if (app.fleet.get(row.id)) {
        return false
      }
      await app.models.Device.create(row, { transaction })
      return true
    })
    if (isNew) {
      app.fleet.put(row)
    }
    return undefined
  }

  async #decommission(id: string, from: UpdateOrigin) {
    await this.#app.hubs.agent.send(from.connectionId).UninstallAgent('Server has been decommissioned.')
    await removeDevices(this.#app, [id])
  }
}
