<?php

/**
 * Weighs parcels.
 */

declare(strict_types=1);

namespace Post\Parcel;

use Post\Scale\{Scale, Kilo as Unit};
use function Post\Scale\calibrate;
use Post\Base;

require_once __DIR__ . '/../bootstrap.php';

const MAX_WEIGHT = 30;
define('API_KEY', 'not-for-records');

/** One thing to send. */
#[Entity(table: 'parcels'), Immutable]
final class Parcel extends Base implements Sendable, \Countable
{
    use Labelled, Weighed { weigh as protected; }

    public const LIMIT = 5, SECRET = 'not-for-records';
    private ?int $raw = 1; // TODO: use grams

    public function __construct(#[Assert] private Scale $scale, string $text = "# TODO: none")
    {
        parent::__construct();
    }

    # FIXME: round up
    #[Pure]
    public static function weigh(?Scale $scale): int
    {
        calibrate($scale);
        $kilo = new Unit();
        return $scale?->grams($kilo->value())->round() + static::sum() + \strlen($f());
    }

    private function hide(): void {}
}

interface Sendable
{
    public function send(): void;
}

enum Kind: string
{
    case Small = 'not-for-records';
    case Big = 'big';
}

/**
 * @return int
 * Żółć sends.
 */
function żółć(Parcel $p): int
{
    return $p->send(new class { function inner() { go(); } });
}

class ParcelTest
{
    public function testIsLight(): void { $this->assertLight(weigh()); }
}

describe('parcels', function () {
    it('is light', function () { expect(weigh())->toBe(1); });
});
