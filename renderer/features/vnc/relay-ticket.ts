import { newId, newSecret } from '../../api/new-id.ts'

/** What a viewer makes for a session on the relay: its id, and the addresses of both ends. They hold a secret. */
export interface RelayTicket {
  sessionId: string
  requester: string
  responder: string
}

const tokenBytes = 64
/** How long each end waits for the other. */
const waitSeconds = 30

/** A ticket for the relay of the server that this page comes from. */
export function newRelayTicket(): RelayTicket {
  const sessionId = newId()
  const accessToken = newSecret(tokenBytes)
  const at = (role: string) => {
    const query = new URLSearchParams({ sessionId, accessToken, timeout: String(waitSeconds), role })
    return `${location.origin.replace(/^http/, 'ws')}/relay?${query}`
  }
  return { sessionId, requester: at('requester'), responder: at('responder') }
}
