import { personalAccessTokens } from '../../shared/api/personal-access-tokens.ts'
import { userPersonalAccessTokens } from '../../shared/api/user-personal-access-tokens.ts'
import { implement } from '../surface/implement.ts'
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  ownTokens,
  renamePersonalAccessToken,
  tokensOfUser,
} from './personal-access-tokens.ts'
import { presentPersonalAccessToken } from './present.ts'

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

export const userPersonalAccessTokenRoutes = implement(userPersonalAccessTokens, {
  create: async (call, { tenantId, params, body }) => {
    const owner = await tokensOfUser(call, tenantId, params.userId)
    const { token, plainText } = await createPersonalAccessToken(call, owner, body)
    return { personalAccessToken: presentPersonalAccessToken(token), plainTextToken: plainText }
  },
  list: async (call, { tenantId, params }) => {
    const owner = await tokensOfUser(call, tenantId, params.userId)
    return { items: (await listPersonalAccessTokens(call, owner)).map(presentPersonalAccessToken) }
  },
  update: async (call, { tenantId, params, body }) => {
    const owner = await tokensOfUser(call, tenantId, params.userId)
    return presentPersonalAccessToken(await renamePersonalAccessToken(call, owner, params.tokenId, body.name))
  },
  delete: async (call, { tenantId, params }) =>
    deletePersonalAccessToken(call, await tokensOfUser(call, tenantId, params.userId), params.tokenId),
})
