import type { z } from 'zod'
import type { Download } from '../../../shared/contract/transfer.ts'
import type { FileSystemEntryDto } from '../../../shared/dtos/file-system.ts'
import type { App, Context } from '../../context.ts'
import { AppError, badRequest } from '../../errors.ts'
import { accepted, callAgent, patienceMs, valueOf } from '../agents/calls.ts'
import { AgentExchange, listingLifetimeMs } from '../agents/exchange.ts'

type Entry = z.output<typeof FileSystemEntryDto>

/** The entries between `head` and `tail`, as JSON text that grows with the listing: a directory may be of any size. */
async function* listingJson(head: string, batches: AsyncIterable<Entry[]>, tail: string) {
  let separator = ''
  yield head
  for await (const batch of batches) {
    if (batch.length > 0) {
      yield separator + JSON.stringify(batch).slice(1, -1)
      separator = ','
    }
  }
  yield tail
}

const listings = { answerMs: patienceMs, lifetimeMs: listingLifetimeMs, refused: badRequest }

export async function directoryContents(context: Context, deviceId: string, directoryPath: string): Promise<Download> {
  const exchange = new AgentExchange<Entry[]>(context, {
    ...listings,
    deviceId,
    kind: 'directory',
    ask: (agent, streamId) => agent.StreamDirectoryContents({ streamId, deviceId, directoryPath }),
  })
  const { note: directoryExists, items } = await exchange.stream()
  return {
    body: listingJson(`{"directoryExists":${directoryExists === true},"entries":[`, items, ']}'),
    onCut: (cut) => exchange.onEnd(cut),
  }
}

export async function subdirectories(context: Context, deviceId: string, directoryPath: string): Promise<Download> {
  const exchange = new AgentExchange<Entry[]>(context, {
    ...listings,
    deviceId,
    kind: 'subdirectories',
    ask: (agent, streamId) => agent.StreamSubdirectories({ streamId, deviceId, directoryPath }),
  })
  const { items } = await exchange.stream()
  return { body: listingJson('{"subdirectories":[', items, ']}'), onCut: (cut) => exchange.onEnd(cut) }
}

export const rootDrives = async (app: App, deviceId: string) =>
  valueOf(await callAgent(app, deviceId, (agent) => agent.GetRootDrives({ deviceId })), badRequest)

export const pathSegments = (app: App, deviceId: string, targetPath: string) =>
  callAgent(app, deviceId, (agent) => agent.GetPathSegments({ targetPath }))

export const validatePath = (app: App, deviceId: string, path: { directoryPath: string; fileName: string }) =>
  callAgent(app, deviceId, (agent) => agent.ValidateFilePath(path))

export async function createDirectory(
  app: App,
  deviceId: string,
  path: { parentPath: string; directoryName: string },
): Promise<void> {
  accepted(await callAgent(app, deviceId, (agent) => agent.CreateDirectory(path)), badRequest)
}

export async function deletePath(app: App, deviceId: string, targetPath: string): Promise<void> {
  accepted(await callAgent(app, deviceId, (agent) => agent.DeleteFile({ targetPath })), badRequest)
}

const failed = (reason: string) => new AppError(500, reason)

export const logFiles = async (app: App, deviceId: string) =>
  valueOf(await callAgent(app, deviceId, (agent) => agent.GetLogFiles()), failed)
