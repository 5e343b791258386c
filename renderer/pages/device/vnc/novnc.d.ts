// The package of types knows the paths and the members of an earlier release.
/// <reference types="novnc__novnc" />

declare module '@novnc/novnc' {
  // A class to be extended, though only its type is there.
  // oxlint-disable-next-line typescript/consistent-type-imports
  import Earlier, { type NoVncCredentials } from '@novnc/novnc/lib/rfb'

  /** What noVNC asks of a socket. */
  export interface RawChannel {
    binaryType: string
    readonly protocol: string
    readonly readyState: number
    onopen: ((event: Event) => void) | null
    onmessage: ((event: MessageEvent) => void) | null
    onclose: ((event: CloseEvent) => void) | null
    onerror: ((event: Event) => void) | null
    send(data: Uint8Array<ArrayBuffer>): void
    close(): void
  }

  export default class RFB extends Earlier {
    constructor(
      target: Element,
      channel: RawChannel,
      options?: { shared?: boolean; credentials?: Partial<NoVncCredentials> },
    )
    sendCredentials(credentials: Partial<NoVncCredentials>): void
    /** Accepts the key that `serververification` told. */
    approveServer(): void
  }
}
