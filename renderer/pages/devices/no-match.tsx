import { Button } from '@mantine/core'
import type { QueryProblemDto } from '../../../shared/api/appliance-device-search.ts'
import { formatQuery, parseQuery } from '../../../shared/device-query.ts'
import { NoMatchState } from '../../components/list-kit/no-match.tsx'
import * as t from '../../texts.ts'

const shortestNote = 3

interface NoMatchProps {
  text: string
  problems: readonly QueryProblemDto[]
  onSearch: (text: string) => void
}

/** Why a search finds nothing, and what to do: clear it, or look into notes. */
export function NoMatch({ text, problems, onSearch }: NoMatchProps) {
  const query = parseQuery(text)
  const [problem] = problems
  const hint = problem
    ? t.devices.problems[problem.reason](
        formatQuery({ text: '', terms: [{ field: problem.field, values: [problem.value], isExcluded: false }] }),
      )
    : query.terms.length === 0
      ? t.devices.noMatchHint(text)
      : t.devices.noMatchFilter
  const inNotes = formatQuery({
    text: '',
    terms: [...query.terms, { field: 'note', values: [query.text], isExcluded: false }],
  })
  return (
    <NoMatchState title={t.devices.noMatch} hint={hint}>
      <Button variant="default" onClick={() => onSearch('')}>
        {t.devices.clear}
      </Button>
      {!problem && query.text.length >= shortestNote && (
        <Button variant="subtle" onClick={() => onSearch(inNotes)}>
          {t.devices.searchNotes(query.text)}
        </Button>
      )}
    </NoMatchState>
  )
}
