import { effectiveUserPreferences } from '../../shared/api/effective-user-preferences.ts'
import { effectivePreferences } from '../services/people/preferences.ts'
import { callerOf, implement } from './implement.ts'

export const effectiveUserPreferencesRoutes = implement(effectiveUserPreferences, {
  get: (context, { tenantId }) => effectivePreferences(context.app, callerOf(context), tenantId),
})
