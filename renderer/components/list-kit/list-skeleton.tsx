import { Skeleton, Stack } from '@mantine/core'

/** Room of the rows of a list that is loading. */
export const ListSkeleton = () => (
  <Stack gap={26} px="var(--page-side)" py={46} aria-hidden>
    {Array.from({ length: 12 }, (_, index) => (
      <Skeleton key={index} height={12} width={`${92 - (index % 4) * 9}%`} />
    ))}
  </Stack>
)
