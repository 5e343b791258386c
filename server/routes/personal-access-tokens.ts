import { personalAccessTokens } from '../../shared/api/personal-access-tokens.ts'
import { presentPersonalAccessToken } from '../presenters/personal-access-token.ts'
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  ownTokens,
  renamePersonalAccessToken,
} from '../services/credentials/personal-access-tokens.ts'
import { implement } from './implement.ts'

export const personalAccessTokenRoutes = implement(personalAccessTokens, {
  create: async (call, { tenantId, body }) => {
    const { token, plainText } = await createPersonalAccessToken(call, ownTokens(call, tenantId), body)
    return { personalAccessToken: presentPersonalAccessToken(token), plainTextToken: plainText }
  },
  list: async (call, { tenantId }) => ({
    items: (await listPersonalAccessTokens(call, ownTokens(call, tenantId))).map(presentPersonalAccessToken),
  }),
  update: async (call, { tenantId, params, body }) =>
    presentPersonalAccessToken(await renamePersonalAccessToken(call, ownTokens(call, tenantId), params.id, body.name)),
  delete: (call, { tenantId, params }) => deletePersonalAccessToken(call, ownTokens(call, tenantId), params.id),
})
