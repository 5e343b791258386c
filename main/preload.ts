import { contextBridge, ipcRenderer } from 'electron'

/** Channel names of shared/ipc.ts, inlined by tools/build.mjs: loading the schemas would slow down each page. */
declare const FARHAND_CHANNELS: readonly string[]

/** Exposes `window.desktop`, a function per channel and the only access to the shell. */
contextBridge.exposeInMainWorld(
  'desktop',
  Object.fromEntries(FARHAND_CHANNELS.map((name) => [name, (request: unknown) => ipcRenderer.invoke(name, request)])),
)
