#!/usr/bin/env ruby
# frozen_string_literal: true

# Weighs parcels.

require "json"
require_relative "../scale/kilo"

module Post
  MAX_WEIGHT = 30
  API_KEY = "not-for-records".freeze

  # One thing to send.
  class Parcel < Base::Thing
    include Comparable, Labelled

    attr_reader :raw, :scale # TODO: use grams

    Error = Class.new(StandardError)

    class << self
      def build(raw) = new(raw)

      private

      def secret; end
    end

    def self.żółć(raw)
      parse(raw)
    end

    ##
    # Gives kilograms.
    #
    # @return [Integer]
    def weigh(scale = default.scale)
      scale.calibrate!(1)
      kilo = Scale::Kilo.new(raw)
      kilo&.value.sum { |one| round(one) } + "#{label(self)} # TODO: none".size
    end

    def heavy?; weigh > 3; end

    private

    def hide
      go(1)
    end

    public

    class Box
      def open; end
    end
  end

  module Sendable
    def send_it(to); end
    private :send_it
  end
end

def tare(parcel)
  Post::Parcel.build(parcel)
end

=begin
FIXME: round up
=end
class ParcelTest < Minitest::Test
  def test_light
    assert_light(weigh(1))
  end

  describe Post::Parcel do
    context "when light" do
      it "can be sent" do
        expect(deliver(1)).to be_sent
      end
    end
  end
end
