import { Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ScopeKind } from '../../shared/access.ts'
import { rightsQueries, type FindKind } from '../api/rights-queries.ts'
import { SearchSelect, type Choice } from './search-select.tsx'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'

export interface ScopeChoice {
  kind: ScopeKind
  choices: Choice[]
}

const hasChoices = (kind: ScopeKind): kind is ScopeKind & FindKind => kind !== 'Server' && kind !== 'Tenant'

/** Scopes of a choice, as requests name them; empty until something is chosen. */
export const scopesOf = ({ kind, choices }: ScopeChoice) =>
  hasChoices(kind) ? choices.map(({ id }) => ({ scopeKind: kind, scopeId: id })) : [{ scopeKind: kind }]

/** Says which devices a scope reaches. */
export function ScopeDevices({ kind, id }: { kind: ScopeKind; id: string | undefined }) {
  const { data } = useQuery(rightsQueries.scope(kind, id))
  if (!data || kind === 'UserGroup') {
    return null
  }
  const rest = data.count - data.names.length
  return (
    <p className="small muted" role="status">
      {t.rights.within(data.count, data.online)}
      {data.names.length > 0 && `: ${data.names.map(visibleName).join(', ')}`}
      {rest > 0 && ` ${t.rights.more(rest)}`}
    </p>
  )
}

interface ScopeFieldProps {
  kinds: readonly ScopeKind[]
  value: ScopeChoice
  onChange: (value: ScopeChoice) => void
  max?: number
  /** Focuses the field of the places when its dialog opens. */
  isFirst?: boolean
}

/** Picks a kind of place and the places, and shows which devices these are. */
export const ScopeField = ({ kinds, value, onChange, max, isFirst = false }: ScopeFieldProps) => (
  <Stack gap={8}>
    <Select
      label={t.rights.place}
      data={kinds.map((kind) => ({ value: kind, label: t.rights.scopes[kind]! }))}
      value={value.kind}
      allowDeselect={false}
      onChange={(kind) => kind && onChange({ kind: kind as ScopeKind, choices: [] })}
    />
    {hasChoices(value.kind) && (
      <SearchSelect
        key={value.kind}
        label={t.rights.scopes[value.kind]!}
        kind={value.kind}
        value={value.choices}
        onChange={(choices) => onChange({ ...value, choices })}
        isFirst={isFirst}
        max={max}
      />
    )}
    {scopesOf(value)
      .slice(0, 3)
      .map(({ scopeKind, ...scope }) => {
        const id = 'scopeId' in scope ? scope.scopeId : undefined
        return <ScopeDevices key={id ?? scopeKind} kind={scopeKind} id={id} />
      })}
  </Stack>
)
