import { JsonHubProtocol, MessageType } from '@microsoft/signalr'

/**
 * The client library's protocol, which knows no bytes: as an item of a stream they travel as base64. What is made here
 * needs no escapes; to have them looked for in text takes longer than making it (`npm run bench -- files`).
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
