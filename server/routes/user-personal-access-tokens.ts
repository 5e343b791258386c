import { userPersonalAccessTokens } from '../../shared/api/user-personal-access-tokens.ts'
import { presentPersonalAccessToken } from '../presenters/personal-access-token.ts'
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  renamePersonalAccessToken,
  tokensOfUser,
} from '../services/credentials/personal-access-tokens.ts'
import { implement } from './implement.ts'

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
