const keyOf = (deviceId: string) => `farhand.terminal.${deviceId}`

/** Id of the terminal that this tab last had open on a device; a reload attaches to it again. */
export const rememberedTerminal = (deviceId: string) => sessionStorage.getItem(keyOf(deviceId)) ?? undefined

export const rememberTerminal = (deviceId: string, terminalId: string) =>
  sessionStorage.setItem(keyOf(deviceId), terminalId)

export const forgetTerminal = (deviceId: string) => sessionStorage.removeItem(keyOf(deviceId))

/** A random GUID. `crypto.randomUUID` is not there on a plain http address of the LAN. */
export function newTerminalId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
