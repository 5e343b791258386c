import { JsonHubProtocol, MessageType } from '@microsoft/signalr'

/**
 * JSON protocol with support for bytes: stream items that are bytes are sent as base64. The message is assembled
 * directly, because base64 needs no escaping, and scanning for escapes takes longer than assembling (`npm run bench --
 * files`).
 */
export class AgentProtocol extends JsonHubProtocol {
  override writeMessage(message: Parameters<JsonHubProtocol['writeMessage']>[0]): string {
    if (message.type !== MessageType.StreamItem || !(message.item instanceof Uint8Array)) {
      return super.writeMessage(message)
    }
    const { buffer, byteOffset, byteLength } = message.item
    const item = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
    return `{"type":2,"invocationId":${JSON.stringify(message.invocationId)},"item":"${item}"}\x1e`
  }
}
