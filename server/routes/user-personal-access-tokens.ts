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
  create: async (context, { tenantId, params, body }) => {
    const owner = await tokensOfUser(context, tenantId, params.userId)
    const { token, plainText } = await createPersonalAccessToken(context, owner, body)
    return { personalAccessToken: presentPersonalAccessToken(token), plainTextToken: plainText }
  },
  list: async (context, { tenantId, params }) => {
    const owner = await tokensOfUser(context, tenantId, params.userId)
    return { items: (await listPersonalAccessTokens(context.app, owner)).map(presentPersonalAccessToken) }
  },
  update: async (context, { tenantId, params, body }) => {
    const owner = await tokensOfUser(context, tenantId, params.userId)
    return presentPersonalAccessToken(await renamePersonalAccessToken(context.app, owner, params.tokenId, body.name))
  },
  delete: async (context, { tenantId, params }) =>
    deletePersonalAccessToken(context, await tokensOfUser(context, tenantId, params.userId), params.tokenId),
})
