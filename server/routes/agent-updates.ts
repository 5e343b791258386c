import { agentUpdates } from '../../shared/api/agent-updates.ts'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { Context } from '../context.ts'
import { implement } from './implement.ts'

const metadata = ({ app }: Context, { params }: { params: { runtime: RuntimeId } }) =>
  app.agentRelease.metadata(params.runtime)

export const agentUpdateRoutes = implement(agentUpdates, { metadata, metadataLegacy: metadata })
