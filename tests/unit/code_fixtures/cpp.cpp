// Weighing of parcels.
#include <string>
#include "parcel/scale.hpp"

namespace parcel {

constexpr int kMaxWeight = 30;
const std::string kApiKey = "not-for-records";

/// One thing to send.
/// Holds no memory of its own.
class Parcel final : public Thing<int>, private detail::Raw {
 public:
  struct Label {
    int size;
  };

  explicit Parcel(int raw) : raw_(raw) { check(raw); }
  virtual ~Parcel() = default;

  /**
   * @brief Weight in kilograms.
   */
  [[nodiscard]] int weight(const Scale& scale) const;
  bool operator==(const Parcel& other) const { return raw_ == other.raw_; }

 private:
  void hide();
  int raw_;  // TODO: use grams
};

int Parcel::weight(const Scale& scale) const {
  auto read = std::make_unique<Reading>(scale);
  return scale->weigh<Kilo>(*new Probe(raw_)) + read.value();
}

// Sends all of them.
template <typename Range>
bool send(Range&& range) {
  return Queue::instance().push(std::forward<Range>(range));
}

namespace {
int secret() { return 1; }
}  // namespace

int żółć() { return secret(); }

}  // namespace parcel

TEST(ParcelTest, HasWeight) {
  EXPECT_EQ(parcel::send(1), true);
}
