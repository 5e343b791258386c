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
  create: async (context, { tenantId, body }) => {
    const { token, plainText } = await createPersonalAccessToken(context, ownTokens(context, tenantId), body)
    return { personalAccessToken: presentPersonalAccessToken(token), plainTextToken: plainText }
  },
  list: async (context, { tenantId }) => ({
    items: (await listPersonalAccessTokens(context.app, ownTokens(context, tenantId))).map(presentPersonalAccessToken),
  }),
  update: async (context, { tenantId, params, body }) =>
    presentPersonalAccessToken(
      await renamePersonalAccessToken(context.app, ownTokens(context, tenantId), params.id, body.name),
    ),
  delete: (context, { tenantId, params }) =>
    deletePersonalAccessToken(context, ownTokens(context, tenantId), params.id),
})
