<?php
declare(strict_types=1);

/** Measures every recipe once per round, and keeps the median and the best of the rounds: ns for one turn. */
final class Rounds
{
    private const ROUNDS = 15;
    private const BATCH_NS = 20_000_000;

    /** @var array<string, callable(int): ?float> */
    private array $recipes = [];

    /**
     * @param callable(int): ?float $recipe  does that many turns; returns the ns of one turn if it measures by itself,
     *                                       null if the whole call is what is measured
     */
    public function add(string $label, callable $recipe): void
    {
        $this->recipes[$label] = $recipe;
    }

    /** @return array<string, array{float, float}>  label => [median, best] */
    public function run(): array
    {
        $turns = array_map($this->turnsOfABatch(...), $this->recipes);
        $times = [];
        for ($round = 0; $round < self::ROUNDS; ++$round) {
            foreach ($this->recipes as $label => $recipe) {
                $times[$label][] = $this->time($recipe, $turns[$label]);
            }
        }
        return array_map(self::medianAndBest(...), $times);
    }

    /**
     * @param list<float> $values
     * @return array{float, float}
     */
    public static function medianAndBest(array $values, bool $highIsBest = false): array
    {
        sort($values);
        return [$values[intdiv(count($values), 2)], $highIsBest ? end($values) : $values[0]];
    }

    private function turnsOfABatch(callable $recipe): int
    {
        $recipe(10); // opens what is to be open
        $turns = 10;
        while (($ns = $this->time($recipe, $turns) * $turns) < self::BATCH_NS / 4) {
            $turns *= 2;
        }
        return max(10, (int) ($turns * self::BATCH_NS / $ns));
    }

    private function time(callable $recipe, int $turns): float
    {
        $start = hrtime(true);
        $measured = $recipe($turns);
        return $measured ?? (hrtime(true) - $start) / $turns;
    }
}
