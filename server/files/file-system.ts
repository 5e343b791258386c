import type { z } from 'zod'
import type { Download } from '../../shared/contract/transfer.ts'
import type { FileSystemEntryDto } from '../../shared/dtos/file-system.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { Call, RouteCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { accepted, callAgent, patienceMs, refusedWith, valueOf, type Agent } from '../devices/calls.ts'
import { AgentExchange, listingLifetimeMs } from '../remote/agent-exchange.ts'

type Entry = z.output<typeof FileSystemEntryDto>

/** Maximum entries of a listing. Our agent sends one entry more, so that a full list is recognizable as cut. */
const maxEntries = 200_000

/** Maximum length of a listing: the entries of a hostile device may have long names. */
const maxListingLength = 64 * 1024 * 1024

/** Streams the entries after `head` as JSON text, because a directory may be of any size. */
async function* listingJson(head: string, batches: AsyncIterable<Entry[]>) {
  let separator = ''
  let room = maxEntries
  let length = 0
  yield head
  for await (const batch of batches) {
    const some = batch.slice(0, room)
    const text = JSON.stringify(some).slice(1, -1)
    length += text.length
    const isTooLong = length > maxListingLength
    if (some.length > 0 && !isTooLong) {
      yield separator + text
      separator = ','
    }
    if (some.length < batch.length || isTooLong) {
      yield '],"isTruncated":true}'
      return
    }
    room -= some.length
  }
  yield ']}'
}

/** A listing that fails within its first MiB gets an error status. */
const heldLength = 1024 * 1024

const refused = refusedWith(400)
const listings = { answerMs: patienceMs, lifetimeMs: listingLifetimeMs, refused }

export async function directoryContents(
  call: RouteCall,
  device: DeviceState,
  directoryPath: string,
): Promise<Download> {
  const exchange = new AgentExchange<Entry[]>(call, {
    ...listings,
    device,
    kind: 'directory',
    ask: (agent, streamId) => agent.StreamDirectoryContents({ streamId, deviceId: device.id, directoryPath }),
  })
  const { note: directoryExists, items } = await exchange.stream()
  return {
    body: listingJson(`{"directoryExists":${directoryExists === true},"entries":[`, items),
    heldLength,
    onCut: (cut) => exchange.onEnd(cut),
  }
}

export async function subdirectories(call: RouteCall, device: DeviceState, directoryPath: string): Promise<Download> {
  const exchange = new AgentExchange<Entry[]>(call, {
    ...listings,
    device,
    kind: 'subdirectories',
    ask: (agent, streamId) => agent.StreamSubdirectories({ streamId, deviceId: device.id, directoryPath }),
  })
  const { items } = await exchange.stream()
  return {
    body: listingJson('{"subdirectories":[', items),
    heldLength,
    onCut: (cut) => exchange.onEnd(cut),
  }
}

export const rootDrives = async (call: RouteCall, device: DeviceState) =>
  valueOf(await callAgent(call, device, (agent) => agent.GetRootDrives({ deviceId: device.id })), refused)

export const pathSegments = (call: Call, device: DeviceState, targetPath: string) =>
  callAgent(call, device, (agent) => agent.GetPathSegments({ targetPath }))

export const validatePath = (call: RouteCall, device: DeviceState, path: { directoryPath: string; fileName: string }) =>
  callAgent(call, device, (agent) => agent.ValidateFilePath(path))

type FileChange = Pick<AuditEvent<'file.deleted' | 'file.folder-created'>, 'kind' | 'target'>

/** Records a change of the files of a device, also one whose outcome is unknown (T45). */
async function changeFiles(
  call: RouteCall,
  device: DeviceState,
  change: FileChange,
  ask: (agent: Agent) => Promise<HubResult>,
): Promise<void> {
  const { app, actor } = call
  const record = (reason: string | null) =>
    app.audit.record(actor, {
      ...change,
      device,
      outcome: reason === null ? 'success' : 'failure',
      details: { reason },
    })
  try {
    accepted(await callAgent(call, device, ask), refused)
  } catch (error) {
    await record((error as Error).message)
    throw error
  }
  await record(null)
}

export const createDirectory = (
  call: RouteCall,
  device: DeviceState,
  path: { parentPath: string; directoryName: string },
): Promise<void> => {
  const target = { kind: 'file', name: `${path.parentPath} ${path.directoryName}` } as const
  return changeFiles(call, device, { kind: 'file.folder-created', target }, (agent) => agent.CreateDirectory(path))
}

export const deletePath = (call: RouteCall, device: DeviceState, targetPath: string): Promise<void> => {
  const target = { kind: 'file', name: targetPath } as const
  return changeFiles(call, device, { kind: 'file.deleted', target }, (agent) => agent.DeleteFile({ targetPath }))
}

export const logFiles = async (call: RouteCall, device: DeviceState) =>
  valueOf(await callAgent(call, device, (agent) => agent.GetLogFiles()), refusedWith(500))
