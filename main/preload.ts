import { contextBridge, ipcRenderer } from 'electron'

/** Names of the channels in shared/ipc.ts, put in by scripts/build.mjs: the schemas would make each page load slower. */
declare const FARHAND_CHANNELS: readonly string[]

/** `window.desktop`: one function per channel, and no other way to the shell. */
contextBridge.exposeInMainWorld(
  'desktop',
  Object.fromEntries(FARHAND_CHANNELS.map((name) => [name, (request: unknown) => ipcRenderer.invoke(name, request)])),
)
