import { effectiveUserPreferences } from '../../shared/api/effective-user-preferences.ts'
import { effectivePreferences } from '../services/people/preferences.ts'
import { implement } from './implement.ts'

export const effectiveUserPreferencesRoutes = implement(effectiveUserPreferences, {
  get: (call, { tenantId }) => effectivePreferences(call, tenantId),
})
