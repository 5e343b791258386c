import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../simulate/fleet.ts'
import { openRemoteControl, openVnc, type Visit } from '../simulate/relay-viewer.ts'

/** Scene of a visit. Half of the visits break off in the middle, which is when leaks happen. */
export interface SoakScene {
  visit: Visit
  account: Account
  display: string
  vncPort: number
  /** Folder on the device, for files. */
  directory: string
}

const isCutShort = () => Math.random() < 0.5
const fileBytes = 2 * 1024 * 1024

async function terminal({ visit: { viewer, deviceId } }: SoakScene) {
  const terminalId = randomUUID()
  const opened = await viewer.CreateTerminalSession2({ deviceId, terminalId })
  if (opened.isSuccess) {
    await viewer.SendTerminalInput2({ deviceId, input: { terminalId, input: 'seq 20000\r', isRaw: true } })
    await sleep(300)
    await viewer.CloseTerminalSession2({ deviceId, terminalId })
  }
}

async function remoteControl({ visit, display }: SoakScene) {
  const { remote } = await openRemoteControl(visit, display, { onFrame: () => {}, onEnd: () => {} })
  for (let step = 0; step < 10; step++) {
    await remote.send('MovePointer', { normalizedX: step / 10, normalizedY: step / 10 })
    await sleep(50)
  }
  if (isCutShort()) {
    remote.channel.end('The viewer vanished.')
  } else {
    remote.close()
  }
}

async function vnc({ visit, vncPort }: SoakScene) {
  const { promise: greeted, resolve } = Promise.withResolvers<void>()
  const socket = await openVnc(visit, vncPort, () => resolve())
  await greeted
  if (isCutShort()) {
    socket.terminate()
  } else {
    socket.close()
  }
}

const routeOf = ({ visit: { url, deviceId } }: SoakScene, action: string, query: Record<string, string>) =>
  `${url}/api/v1/device-file-system/${action}/${deviceId}?${new URLSearchParams(query).toString()}`

async function upload(scene: SoakScene) {
  const form = new FormData()
  form.set('targetSaveDirectory', scene.directory)
  form.set('overwrite', 'true')
  form.set('file', new Blob([randomBytes(fileBytes)]), 'soak.bin')
  const { tenantId, cookie } = scene.account
  const headers = { cookie, origin: scene.visit.url }
  const signal = isCutShort() ? AbortSignal.timeout(5) : null
  try {
    const answer = await fetch(routeOf(scene, 'upload', { tenantId }), { method: 'POST', headers, body: form, signal })
    await answer.arrayBuffer()
  } catch (error) {
    if (!signal?.aborted) {
      throw error
    }
  }
}

async function download(scene: SoakScene) {
  const { tenantId, cookie } = scene.account
  const filePath = join(scene.directory, 'download.bin')
  const answer = await fetch(routeOf(scene, 'download', { tenantId, filePath }), { headers: { cookie } })
  if (isCutShort()) {
    await answer.body?.cancel()
  } else {
    await answer.arrayBuffer()
  }
}

async function preview({ visit, account, display }: SoakScene) {
  const { value } = await visit.viewer.GetActiveDesktopSessions2({ deviceId: visit.deviceId })
  const processId = value?.sessions.find(({ name }) => name.endsWith(display))?.processId
  const address = `${visit.url}/api/v1/desktop-preview/${visit.deviceId}/${processId}?tenantId=${account.tenantId}`
  const answer = await fetch(address, { headers: { cookie: account.cookie } })
  await answer.arrayBuffer()
}

/** Kinds of sessions that need no person at the device. */
export const visits: Readonly<Record<string, (scene: SoakScene) => Promise<void>>> = {
  terminal,
  remoteControl,
  vnc,
  upload,
  download,
  preview,
}
