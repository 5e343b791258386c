import { instantOrNull } from '../ground/instant.ts'
import type { Call, App } from '../call/call.ts'
import { heldRights } from '../rights/rights.ts'
import { nameOfCaller } from '../people/names.ts'
import type { Principal } from '../ground/principal.ts'

/** Name of a token or key, and its end in milliseconds. */
async function credentialOf({ models, apiKeys, personalAccessTokens, sessions }: App, { credential }: Principal) {
  switch (credential.kind) {
    case 'ServiceAccountCredential': {
      const name = (await models.ServiceAccountCredential.findByPk(credential.id))?.name ?? null
      return { name, expiresAt: apiKeys.expiresAt(credential.id) }
    }
    case 'PersonalAccessToken': {
      const name = (await models.PersonalAccessToken.findByPk(credential.id))?.name ?? null
      return { name, expiresAt: personalAccessTokens.expiresAt(credential.id) }
    }
    case 'BearerToken':
      return { name: null, expiresAt: null }
    default:
      return { name: null, expiresAt: sessions.expiresAt(credential.sessionId) ?? null }
  }
}

/** The calling principal, its credential and its rights. */
export async function describePrincipal(call: Call) {
  const { app, principal } = call
  const { kind, id, tenantId, credential } = principal
  const { expiresAt, ...named } = await credentialOf(app, principal)
  return {
    kind,
    id,
    name: nameOfCaller(call),
    tenantId,
    credential: {
      kind: credential.kind,
      id: 'id' in credential ? credential.id : null,
      ...named,
      expiresAt: instantOrNull(expiresAt),
    },
    rights: await heldRights(app, principal),
  }
}
